import { exportSizes, type MetricsRegistry } from '../../shared/platform/metrics.ts';

const ENTRIES: readonly string[] = ['wallets', 'edges', 'rings', 'hubs', 'young', 'tracked'];

/** How large the graph in memory is. */
export const exportGraphSizes = (
  registry: MetricsRegistry,
  counts: () => Readonly<Record<string, number>>,
): void => {
  const some = (names: readonly string[]): Record<string, number> => {
    const all = counts();
    return Object.fromEntries(names.map((name) => [name, all[name] ?? 0]));
  };
  exportSizes(registry, {
    name: 'tsd_graph_entries',
    help: 'Entries of the graph in memory: wallets, edges, rings, hubs, young tokens, tracked tokens.',
    label: 'kind',
    read: () => some(ENTRIES),
  });
  exportSizes(registry, {
    name: 'tsd_graph_bytes',
    help: 'Bytes reserved by the tables of the graph.',
    label: 'part',
    read: () => ({ tables: counts()['bytes'] ?? 0 }),
  });
};
