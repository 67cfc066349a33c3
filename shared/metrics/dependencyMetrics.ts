import { Gauge } from 'prom-client';
import { type ReadinessCheck, readiness } from '../runtime/service.ts';
import type { MetricsRegistry } from './registry.ts';

/** Tells at every scrape which dependencies of the process answer. */
export const exportDependencies = (
  registry: MetricsRegistry,
  checks: Readonly<Record<string, ReadinessCheck>>,
): void => {
  new Gauge({
    name: 'tsd_dependency_up',
    help: 'Whether a dependency answers (1) or not (0), as /readyz tells it.',
    labelNames: ['dependency'],
    registers: [registry],
    async collect() {
      const states = await readiness(checks);
      for (const [dependency, state] of Object.entries(states)) {
        this.set({ dependency }, state === 'up' ? 1 : 0);
      }
    },
  });
};
