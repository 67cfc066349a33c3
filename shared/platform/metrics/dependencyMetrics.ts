import { Gauge } from 'prom-client';
import type { MetricsRegistry } from './registry.ts';

/** Exports at every scrape which dependencies of the process answer. */
export const exportDependencies = (
  registry: MetricsRegistry,
  states: () => Promise<Readonly<Record<string, 'up' | 'down'>>>,
): void => {
  new Gauge({
    name: 'tsd_dependency_up',
    help: 'Whether a dependency answers (1) or not (0).',
    labelNames: ['dependency'],
    registers: [registry],
    async collect() {
      for (const [dependency, state] of Object.entries(await states())) {
        this.set({ dependency }, state === 'up' ? 1 : 0);
      }
    },
  });
};
