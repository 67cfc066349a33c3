import { Counter } from 'prom-client';
import type { SpanMeter } from '../tracer.ts';
import type { MetricsRegistry } from './registry.ts';

/** What became of spans. */
export const createSpanMetrics = (registry: MetricsRegistry): SpanMeter => {
  const spans = new Counter({
    name: 'tsd_spans_total',
    help: 'Spans for OpenTelemetry, by whether the collector took them.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return {
    sent: (count) => spans.inc({ outcome: 'sent' }, count),
    dropped: (count) => spans.inc({ outcome: 'dropped' }, count),
  };
};
