import { collectDefaultMetrics, Registry } from 'prom-client';

/** The metrics of one process. Only this folder knows the library behind it. */
export type MetricsRegistry = Registry;

/**
 * A registry with what every process exports: CPU, memory, heap, garbage collection, event loop, descriptors.
 * @param labels put on every metric of the process, such as its chain; their values must be few.
 */
export const createRegistry = (labels: Readonly<Record<string, string>> = {}): MetricsRegistry => {
  const registry = new Registry();
  registry.setDefaultLabels({ ...labels });
  collectDefaultMetrics({ register: registry });
  return registry;
};
