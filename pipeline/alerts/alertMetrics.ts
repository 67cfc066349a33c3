import { Counter, Histogram } from 'prom-client';
import type { AlertMessage } from '../../shared/messages/alertMessage.ts';
import {
  exportCounts,
  exportSizes,
  LATENCY_SECONDS,
  type MetricsRegistry,
} from '../../shared/platform/metrics.ts';
import { ALERT_TYPES } from '../../shared/rules/artifacts/alertTypes.ts';
import { timeOfId } from './alertId.ts';

/** Sent alerts. */
export const createAlertMetrics = (registry: MetricsRegistry) => {
  const registers = [registry];
  const alerts = new Counter({
    name: 'tsd_alerts_total',
    help: 'Alerts sent, by type and whether they were raised or withdrawn.',
    labelNames: ['type', 'state'],
    registers,
  });
  // Starts at zero, so that the first alert of a type shows as an increase.
  for (const type of ALERT_TYPES) {
    for (const state of ['raised', 'withdrawn']) alerts.inc({ type, state }, 0);
  }
  const latency = new Histogram({
    name: 'tsd_alert_latency_seconds',
    help: 'Seconds from the time of the block until the alert is sent.',
    buckets: LATENCY_SECONDS,
    registers,
  });
  return {
    /** An alert is on its way to clients. */
    sent: ({ alert, state }: AlertMessage, nowMs: number): void => {
      alerts.inc({ type: alert.type, state });
      if (state === 'raised') latency.observe(Math.max(0, nowMs / 1_000 - timeOfId(alert.id)));
    },
  };
};

interface Counted {
  counts(): Readonly<Record<string, number>>;
}

/** Outcome of findings on watched addresses, and the number of watched addresses. */
export const exportAlertCounts = (
  registry: MetricsRegistry,
  { alerter, audience }: { readonly alerter: Counted; readonly audience: Counted },
): void => {
  exportCounts(registry, {
    name: 'tsd_alert_candidates_total',
    help: 'Findings about watched tokens and wallets, by what was done with them.',
    label: 'outcome',
    read: () => {
      const { raised = 0, quiet = 0, notRaised = 0, withdrawn = 0, kept = 0 } = alerter.counts();
      return { raised, quiet, not_raised: notRaised, withdrawn, kept };
    },
  });
  exportSizes(registry, {
    name: 'tsd_watch_index_entries',
    help: 'The index of watched addresses: items, and families with settings of their own.',
    label: 'kind',
    read: () => {
      const { items = 0, settings = 0 } = audience.counts();
      return { items, settings };
    },
  });
};
