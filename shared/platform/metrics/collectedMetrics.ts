import { Counter, Gauge } from 'prom-client';
import type { MetricsRegistry } from './registry.ts';

/** A metric that is read from the code at every scrape and costs nothing in between. */
interface CollectedMetric {
  readonly name: string;
  readonly help: string;
  /** Name of the label whose values are the keys of `read`. */
  readonly label: string;
  /** The values now, by label value. */
  readonly read: () => Readonly<Record<string, number>>;
}

/** Exports totals that only grow as a counter. */
export const exportCounts = (registry: MetricsRegistry, metric: CollectedMetric): void => {
  const { name, help, label, read } = metric;
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [key, count] of Object.entries(read())) this.inc({ [label]: key }, count);
    },
  });
};

/** Exports values that go up and down as a gauge. */
export const exportSizes = (registry: MetricsRegistry, metric: CollectedMetric): void => {
  const { name, help, label, read } = metric;
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      for (const [key, size] of Object.entries(read())) this.set({ [label]: key }, size);
    },
  });
};
