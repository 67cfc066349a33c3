import { exportSizes, type MetricsRegistry } from '../../shared/platform/metrics.ts';

/** Size of the graph in memory. */
export const exportGraphSizes = (
  registry: MetricsRegistry,
  counts: () => Readonly<Record<string, number>>,
): void => {
  exportSizes(registry, {
    name: 'tsd_graph_entries',
    help: 'Entries of the graph in memory: wallets, edges, rings, hubs, young tokens, tracked tokens.',
    label: 'kind',
    read: () => {
      const { wallets = 0, edges = 0, rings = 0, hubs = 0, young = 0, tracked = 0 } = counts();
      return { wallets, edges, rings, hubs, young, tracked };
    },
  });
  exportSizes(registry, {
    name: 'tsd_graph_bytes',
    help: 'Bytes reserved by the tables of the graph.',
    label: 'part',
    read: () => ({ tables: counts()['bytes'] ?? 0 }),
  });
};
