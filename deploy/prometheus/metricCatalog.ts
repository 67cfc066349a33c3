import {
  createRequestMetrics,
  exportIndex,
  exportStreamClients,
} from '../../api/server/apiMetrics.ts';
import { createAlertMetrics, exportAlertCounts } from '../../pipeline/alerts/alertMetrics.ts';
import { exportGraphSizes } from '../../pipeline/clusters/clusterMetrics.ts';
import { exportPushCounts, newCounts, timeAttempts } from '../../pipeline/push/pushMetrics.ts';

import { createLearningMetrics, createScorerMetrics } from '../../pipeline/scorer/scorerMetrics.ts';
import { createWatcherMetrics } from '../../pipeline/watcher/watcherMetrics.ts';
import {
  createCacheMetrics,
  createClickhouseMetrics,
  createDeadLetterMetrics,
  createNodeMetrics,
  createReaderMetrics,
  createRegistry,
  createSpanMetrics,
  exportDependencies,
  exportLeadership,
  type MetricsRegistry,
} from '../../shared/platform/metrics.ts';
import { exportStreams } from '../../shared/platform/streamStates.ts';

/** One metric in the form of the documentation. */
export interface CataloguedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Processes that report it. */
  readonly roles: readonly string[];
}

const PIPELINE: readonly string[] = ['watcher', 'scorer', 'clusters', 'alerts', 'push'];
const ROLES: readonly string[] = [...PIPELINE, 'api'];

/** Which roles register what; the role's `run.ts` does the same with real parts. */
const SETS: readonly (readonly [
  roles: readonly string[],
  register: (registry: MetricsRegistry) => void,
])[] = [
  [ROLES, () => undefined],
  [ROLES, (registry) => exportDependencies(registry, async () => ({}))],
  [
    ['watcher', 'scorer', 'clusters', 'alerts'],
    (registry) => void exportLeadership(registry, async () => undefined),
  ],
  [PIPELINE, (registry) => void createSpanMetrics(registry)],
  [['watcher'], (registry) => void createWatcherMetrics(registry)],
  [['watcher', 'scorer'], (registry) => void createNodeMetrics(registry)],
  [['scorer', 'clusters', 'alerts'], (registry) => void createReaderMetrics(registry)],
  [
    ['scorer', 'clusters', 'alerts', 'push', 'api'],
    (registry) => void createClickhouseMetrics(registry),
  ],
  [['scorer', 'clusters', 'alerts', 'push'], (registry) => void createDeadLetterMetrics(registry)],
  [['scorer'], (registry) => void createScorerMetrics(registry)],
  [['scorer'], (registry) => void createLearningMetrics(registry)],
  [['scorer'], (registry) => void createCacheMetrics(registry)],
  [['clusters'], (registry) => exportGraphSizes(registry, () => ({}))],
  [['alerts'], (registry) => void createAlertMetrics(registry)],
  [
    ['alerts'],
    (registry) => {
      const none = { counts: () => ({}) };
      exportAlertCounts(registry, { alerter: none, audience: none });
    },
  ],
  [['push'], (registry) => exportPushCounts(registry, newCounts(), () => 0)],
  [
    ['push'],
    (registry) => void timeAttempts(registry, () => Promise.reject(new Error('sends nothing'))),
  ],
  [['api'], (registry) => void createRequestMetrics(registry)],
  [['api'], (registry) => exportStreamClients(registry, () => ({ websocket: 0, sse: 0 }))],
  [
    ['api'],
    (registry) => exportIndex(registry, () => ({ isReady: false, failures: 0, lagS: undefined })),
  ],
  [
    ['api'],
    (registry) =>
      exportStreams(registry, {
        readers: async () => [],
        streams: async () => [],
        messages: async () => 0,
      }),
  ],
];

const labelsOf = (registry: MetricsRegistry, name: string): readonly string[] =>
  (registry.getSingleMetric(name) as unknown as { labelNames?: readonly string[] }).labelNames ??
  [];

/** Every metric of the code, in alphabetical order. */
export const catalogueMetrics = (): CataloguedMetric[] => {
  const defaults = new Set(
    createRegistry()
      .getMetricsAsArray()
      .map(({ name }) => name),
  );
  const found = SETS.flatMap(([roles, register], at) => {
    const registry = createRegistry();
    register(registry);
    return registry
      .getMetricsAsArray()
      .filter(({ name }) => at === 0 || !defaults.has(name))
      .map(({ name, help, type }) => {
        return { name, help, type: String(type), labels: labelsOf(registry, name), roles };
      });
  });
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/** The metrics as a table in Markdown. */
export const metricsTable = (metrics: readonly CataloguedMetric[]): string =>
  [
    '| metric | type | labels | reported by | what it is |',
    '| --- | --- | --- | --- | --- |',
    ...metrics.map(({ name, type, labels, roles, help }) => {
      const reporters = roles.length === ROLES.length ? 'all' : roles.join(', ');
      const shown = labels.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${shown} | ${reporters} | ${help.replaceAll('|', '\\|')} |`;
    }),
  ].join('\n');
