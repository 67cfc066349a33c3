import { Counter, Gauge } from 'prom-client';
import type { MetricsRegistry } from './registry.ts';

interface Tally {
  readonly name: string;
  readonly help: string;
  /** Name of the label that the keys of `read` become. */
  readonly label: string;
  /** The numbers now; their keys are those of the code. */
  readonly read: () => Readonly<Record<string, number>>;
}

/** A counter over numbers that a part counts by itself: read at every scrape, at no cost in between. */
export const exportCounts = (registry: MetricsRegistry, tally: Tally): void => {
  const { name, help, label, read } = tally;
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

/** The same for numbers that go up and down. */
export const exportSizes = (registry: MetricsRegistry, tally: Tally): void => {
  const { name, help, label, read } = tally;
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
