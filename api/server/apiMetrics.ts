import { Counter, Gauge, Histogram } from 'prom-client';
import {
  exportCounts,
  exportSizes,
  type MetricsRegistry,
  WORK_SECONDS,
} from '../../shared/platform/metrics.ts';
import type { IndexState } from '../index/createListIndex.ts';
import type { RequestMeter } from './middleware/observeRequests.ts';

/** Methods counted by name; clients may send arbitrary ones. */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);
const OTHER_METHOD = 'other';

/** Requests by route template, method and status, which all have few values. */
export const createRequestMetrics = (registry: MetricsRegistry): RequestMeter => {
  const registers = [registry];
  const requests = new Counter({
    name: 'tsd_http_requests_total',
    help: 'HTTP requests by route template, method and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'tsd_http_request_seconds',
    help: 'Time until the answer was ready, by route template; of streams, until they were open.',
    labelNames: ['route'],
    buckets: WORK_SECONDS,
    registers,
  });
  const limitedRequests = new Counter({
    name: 'tsd_http_rate_limited_total',
    help: 'Requests refused with 429, by the tier of the key.',
    labelNames: ['tier'],
    registers,
  });
  const refused = new Counter({
    name: 'tsd_http_concurrency_refused_total',
    help: 'Requests refused with 429 or 503, and connections refused, because too many were open already, by limit.',
    labelNames: ['limit'],
    registers,
  });
  const inFlight = new Gauge({
    name: 'tsd_http_requests_in_flight',
    help: 'Requests whose headers have arrived and whose answer is not ready.',
    registers,
  });
  let running = 0;
  return {
    started: () => {
      running += 1;
      inFlight.set(running);
    },
    answered: ({ method, route, status, tookMs }) => {
      running -= 1;
      inFlight.set(running);
      const known = METHODS.has(method) ? method : OTHER_METHOD;
      requests.inc({ method: known, route, status: String(status) });
      seconds.observe({ route }, tookMs / 1_000);
    },
    limited: (tier) => limitedRequests.inc({ tier }),
    refused: (limit) => refused.inc({ limit }),
  };
};

/** Open streams of this process, read at every scrape. */
export const exportStreamClients = (
  registry: MetricsRegistry,
  clients: () => Readonly<Record<string, number>>,
): void => {
  new Gauge({
    name: 'tsd_stream_clients',
    help: 'Open event streams of clients: websocket, or sse for server-sent events.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const [kind, count] of Object.entries(clients())) this.set({ kind }, count);
    },
  });
};

/** The index of this process, read at every scrape. */
export const exportIndex = (registry: MetricsRegistry, read: () => IndexState): void => {
  exportSizes(registry, {
    name: 'tsd_index_ready',
    help: 'Whether lists and searches are answered (1) or their index is being built (0).',
    label: 'index',
    read: () => ({ tokens: read().isReady ? 1 : 0 }),
  });
  exportSizes(registry, {
    name: 'tsd_index_lag_seconds',
    help: 'Seconds since the index of lists and searches last followed all stored verdicts and wallets; none before that.',
    label: 'index',
    read: () => {
      const { lagS } = read();
      return lagS === undefined ? {} : { tokens: lagS };
    },
  });
  exportCounts(registry, {
    name: 'tsd_index_failures_total',
    help: 'Times the index of lists and searches was given up because of an error, to be built anew.',
    label: 'index',
    read: () => ({ tokens: read().failures }),
  });
};
