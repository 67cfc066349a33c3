import { setTimeout as sleep } from 'node:timers/promises';
import { queryRows } from './clickhouseQuery.ts';
import type { Stack } from './environment.ts';
import { formatDuration } from './formats.ts';
import { LOOPBACK } from './launch.ts';
import { parseMetrics, type Sample, sumOf } from './metricsText.ts';

const METRICS_TIMEOUT_MS = 5_000;
/** Between the two looks that a rate is computed from. */
const SAMPLE_MS = 2_000;
const QUERY_TIMEOUT_MS = 3_000;
const MINUTE_SQL = `SELECT
  (SELECT count() FROM tsd.verdict_history WHERE analyzed_at >= now64() - INTERVAL 1 MINUTE),
  (SELECT count() FROM tsd.alerts WHERE created_at >= now64() - INTERVAL 1 MINUTE AND is_deleted = 0)`;
const UNKNOWN = '-';

const READERS = ['scorer', 'clusters', 'alerts'] as const;
type Reader = (typeof READERS)[number];

/** What the processes of a stack say of themselves; empty for one that does not answer. */
type Told = Readonly<Record<Reader | 'watcher' | 'api', readonly Sample[]>>;

const ask = async (port: number): Promise<readonly Sample[]> => {
  try {
    const signal = AbortSignal.timeout(METRICS_TIMEOUT_MS);
    const answer = await fetch(`http://${LOOPBACK}:${port}/metrics`, { signal });
    return answer.ok ? parseMetrics(await answer.text()) : [];
  } catch {
    return [];
  }
};

const askAll = async ({ ports }: Stack): Promise<Told> => {
  const [watcher, scorer, clusters, alerts, api] = await Promise.all([
    ask(ports.watcherHealth),
    ask(ports.scorerHealth),
    ask(ports.clustersHealth),
    ask(ports.alertsHealth),
    ask(ports.apiHealth),
  ]);
  return { watcher, scorer, clusters, alerts, api };
};

const shown = (value: number | undefined): string =>
  value === undefined ? UNKNOWN : String(Math.round(value * 10) / 10);

/** Time since a block, at `nowMs`; unknown where none was handled yet. */
const age = (timestampS: number | undefined, nowMs: number): string =>
  timestampS ? formatDuration(Math.max(0, nowMs - timestampS * 1_000)) : UNKNOWN;

const transfersOf = ({ scorer }: Told): number =>
  sumOf(scorer, 'tsd_clickhouse_inserted_rows_total', { table: 'fact_transfers' }) ?? 0;

const minuteCounts = async (stack: Stack): Promise<readonly string[]> => {
  try {
    const text = await queryRows(stack.clickhouseUrl, MINUTE_SQL, QUERY_TIMEOUT_MS);
    return text.trim().split('\t');
  } catch {
    return [];
  }
};

/** Rows of a table: how far each part of the stack is behind the head of the chain. */
const lagRows = (told: Told, nowMs: number): string[][] => [
  ['part', 'blocks behind', 'last block', 'messages waiting'],
  [
    'watcher',
    shown(sumOf(told.watcher, 'tsd_watcher_lag_blocks')),
    age(sumOf(told.watcher, 'tsd_watcher_published_block_timestamp_seconds'), nowMs),
    UNKNOWN,
  ],
  ...READERS.map((reader) => [
    reader,
    shown(sumOf(told[reader], 'tsd_reader_lag_blocks')),
    age(sumOf(told[reader], 'tsd_reader_block_timestamp_seconds'), nowMs),
    shown(sumOf(told.api, 'tsd_consumer_pending_messages', { consumer: reader })),
  ]),
];

/** How far the parts of a stack are behind, and what it does a second and a minute. */
export const readActivity = async (
  stack: Stack,
): Promise<{ readonly lag: string[][]; readonly rates: string }> => {
  const [before, minute] = await Promise.all([askAll(stack), minuteCounts(stack)]);
  const startedMs = performance.now();
  await sleep(SAMPLE_MS);
  const told = await askAll(stack);
  const tookS = (performance.now() - startedMs) / 1_000;
  const perS =
    told.scorer.length > 0 ? (transfersOf(told) - transfersOf(before)) / tookS : undefined;
  const [verdicts = UNKNOWN, alerts = UNKNOWN] = minute;
  const letters = shown(sumOf(told.api, 'tsd_stream_messages', { stream: 'DLQ' }));
  return {
    lag: lagRows(told, Date.now()),
    rates: `${shown(perS)} transfers/s; in the last minute ${verdicts} verdicts, ${alerts} alerts; dead letters: ${letters}`,
  };
};
