import { Histogram } from 'prom-client';
import {
  exportCounts,
  exportSizes,
  type MetricsRegistry,
  WORK_SECONDS,
} from '../../shared/platform/metrics.ts';
import type { SendEvents } from '../../shared/webhooks/sendEvents.ts';

/** Counters of the push role, at zero. */
export const newCounts = () => ({
  /** Events taken from the stream. */
  events: 0,
  /** Deliveries planned. */
  planned: 0,
  delivered: 0,
  retry: 0,
  exhausted: 0,
  gone: 0,
  /**
   * Deliveries ended without an attempt: the webhook is not active, its family's tier has no webhooks, or too many
   * are waiting.
   */
  dropped: 0,
  /** Events not sent to a webhook because its family's tier has no webhooks. */
  barred: 0,
  disabled: 0,
  /** Messages that can never become an event. */
  poison: 0,
  /** Outcomes that could not be stored at once; they are stored later. */
  unsaved: 0,
});
export type PushCounts = ReturnType<typeof newCounts>;

/** Outcomes of attempts, and planned deliveries. */
export const exportPushCounts = (
  registry: MetricsRegistry,
  counts: Readonly<PushCounts>,
  webhooks: () => number,
): void => {
  exportCounts(registry, {
    name: 'tsd_webhook_attempts_total',
    help: 'Attempts at deliveries, by result; dropped ones ended without a result.',
    label: 'outcome',
    read: () => {
      const { delivered, retry, exhausted, gone, dropped } = counts;
      return { delivered, retry, exhausted, gone, dropped };
    },
  });
  exportCounts(registry, {
    name: 'tsd_push_events_total',
    help: 'Steps from events to deliveries: events received, deliveries planned or prevented by a tier, webhooks disabled, results stored late.',
    label: 'step',
    read: () => {
      const { events, planned, barred, disabled, unsaved } = counts;
      return { events, planned, barred, disabled, unsaved };
    },
  });
  exportSizes(registry, {
    name: 'tsd_webhooks',
    help: 'Webhooks known to the process.',
    label: 'state',
    read: () => ({ active: webhooks() }),
  });
};

/** The same sender with timed attempts. */
export const timeAttempts = (registry: MetricsRegistry, send: SendEvents): SendEvents => {
  const seconds = new Histogram({
    name: 'tsd_webhook_attempt_seconds',
    help: 'Time of one attempt, from the look-up of the name to the answer.',
    buckets: WORK_SECONDS,
    registers: [registry],
  });
  return async (webhook, events) => {
    const startedMs = performance.now();
    try {
      return await send(webhook, events);
    } finally {
      seconds.observe((performance.now() - startedMs) / 1_000);
    }
  };
};
