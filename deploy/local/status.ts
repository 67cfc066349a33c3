import { setTimeout as sleep } from 'node:timers/promises';
import { backfillPercent } from '../../pipeline/watcher/progress.ts';
import type { Stack } from './environment.ts';
import { formatDuration, formatTable, shortLogLine } from './formats.ts';
import { LOOPBACK } from './launch.ts';
import { type Part, partsOf } from './parts.ts';
import { queryRows } from './probes.ts';
import { createProcesses, type Processes, residentBytes } from './processes.ts';
import { type Note, readNotes, SUPERVISOR } from './supervision.ts';

const BYTES_PER_MB = 1_000_000;
const PROGRESS_TIMEOUT_MS = 3_000;
const PROGRESS_SQL = `SELECT chain_id, block_number, head, updated_at
FROM tsd.chain_progress FINAL WHERE reader = 'scorer' ORDER BY chain_id LIMIT 100`;

const LINES_PER_FAILURE = 5;

/** The state of a part; `note` is what the supervisor recorded. */
const stateOf = (part: Part, isRunning: boolean, note: Note | undefined): string => {
  if (part.launch === undefined) return 'external';
  if (isRunning) return 'running';
  if (note?.isGivenUp) return 'failed';
  return note?.problem === undefined ? 'stopped' : 'restarting';
};

/** A part's health as shown, and whether it is good. */
const healthOf = async (part: Part): Promise<{ text: string; isSound: boolean }> => {
  if (await part.isReady()) return { text: 'ok', isSound: true };
  const missing = (await part.waitsFor?.()) ?? [];
  const text = missing.length > 0 ? `failing: ${missing.join(', ')}` : 'failing';
  return { text, isSound: false };
};
const NOT_ASKED = { text: '-', isSound: true };

/** Parts that were given up, and parts that no supervisor would restart. */
const describeProblems = (
  processes: Processes,
  notes: Readonly<Record<string, Note>>,
  names: readonly string[],
): string[] => {
  const failures = names.flatMap((name) => {
    const note = notes[name];
    if (!note?.isGivenUp || processes.find(name) !== undefined) return [];
    const lines = processes
      .lastLines(name, LINES_PER_FAILURE)
      .map((line) => `  ${shortLogLine(line)}`);
    const problem = `${name} failed: ${note.problem}; given up after ${note.restarts} restarts, make up restarts it. Its last log lines:`;
    return [[problem, ...lines].join('\n')];
  });
  const isWatched = processes.find(SUPERVISOR) !== undefined;
  if (isWatched || !names.some((name) => processes.find(name))) return failures;
  return [...failures, 'the supervisor does not run: what exits is not restarted until make up'];
};

/** A table of the stack's parts, the progress of each chain, and whether everything is healthy. */
export const describeStatus = async (
  stack: Stack,
): Promise<{ readonly text: string; readonly isSound: boolean }> => {
  const processes = createProcesses(stack.stateDir);
  const notes = readNotes(stack.stateDir);
  const described = await Promise.all(
    partsOf(stack).map(async (part) => {
      const record = processes.find(part.name);
      const isAsked = record !== undefined || part.launch === undefined;
      const health = isAsked ? await healthOf(part) : NOT_ASKED;
      const bytes = record && residentBytes(record.pid);
      const row = [
        part.name,
        stateOf(part, record !== undefined, notes[part.name]),
        record ? String(record.pid) : '-',
        part.ports.join(',') || '-',
        health.text,
        bytes === undefined ? '-' : `${Math.round(bytes / BYTES_PER_MB)} MB`,
        record ? formatDuration(Date.now() - record.startedAtMs) : '-',
        String(notes[part.name]?.restarts ?? 0),
      ];
      return { row, isSound: health.isSound };
    }),
  );
  const parts = formatTable([
    ['part', 'state', 'pid', 'port', 'health', 'memory', 'uptime', 'restarts'],
    ...described.map(({ row }) => row),
  ]);
  const { lag, backfill, missing, rates } = await readActivity(stack);
  const names = partsOf(stack).map(({ name }) => name);
  const problems = describeProblems(processes, notes, names);
  const sections = [
    parts,
    await describeProgress(stack),
    ...(backfill === undefined ? [] : [backfill]),
    formatTable(lag),
    rates,
    ...missing,
    ...problems,
  ];
  return {
    text: sections.join('\n\n'),
    isSound: problems.length === 0 && described.every((part) => part.isSound),
  };
};

const describeProgress = async (stack: Stack): Promise<string> => {
  try {
    const text = await queryRows(stack.clickhouseUrl, PROGRESS_SQL, PROGRESS_TIMEOUT_MS);
    const rows = text.split('\n').filter(Boolean);
    if (rows.length === 0) return 'no chain has been read yet';
    const header = ['chain', 'block', 'head', 'updated (UTC)'];
    return formatTable([header, ...rows.map((row) => row.split('\t'))]);
  } catch {
    return 'chain progress unknown: ClickHouse does not answer, or has no tables yet';
  }
};

const METRICS_TIMEOUT_MS = 5_000;
/** Milliseconds between the two samples of a rate. */
const SAMPLE_MS = 2_000;
/** The same while history is read, in batches of hundreds of blocks that take a second or more each. */
const BACKFILL_SAMPLE_MS = 8_000;
const QUERY_TIMEOUT_MS = 3_000;
const MINUTE_SQL = `SELECT
  (SELECT count() FROM tsd.verdict_history WHERE analyzed_at >= now64() - INTERVAL 1 MINUTE),
  (SELECT count() FROM tsd.alerts WHERE created_at >= now64() - INTERVAL 1 MINUTE AND is_deleted = 0)`;
const UNKNOWN = '-';

const READERS = ['scorer', 'clusters', 'alerts'] as const;
type Reader = (typeof READERS)[number];

/** Metrics of the processes of a stack; empty for one that does not answer. */
export type Scraped = Readonly<Record<Reader | 'watcher' | 'api', readonly Sample[]>>;

const scrape = async (port: number): Promise<readonly Sample[]> => {
  try {
    const signal = AbortSignal.timeout(METRICS_TIMEOUT_MS);
    const answer = await fetch(`http://${LOOPBACK}:${port}/metrics`, { signal });
    return answer.ok ? parseMetrics(await answer.text()) : [];
  } catch {
    return [];
  }
};

const scrapeAll = async ({ ports }: Stack): Promise<Scraped> => {
  const [watcher, scorer, clusters, alerts, api] = await Promise.all([
    scrape(ports.watcherHealth),
    scrape(ports.scorerHealth),
    scrape(ports.clustersHealth),
    scrape(ports.alertsHealth),
    scrape(ports.apiHealth),
  ]);
  return { watcher, scorer, clusters, alerts, api };
};

const shown = (value: number | undefined): string =>
  value === undefined ? UNKNOWN : String(Math.round(value * 10) / 10);

/** A rate, without decimals if it is large. */
const shownRate = (perS: number | undefined): string =>
  shown(perS !== undefined && perS >= 100 ? Math.round(perS) : perS);

/** Time since a block, at `nowMs`; unknown if none was processed yet. */
const age = (timestampS: number | undefined, nowMs: number): string =>
  timestampS ? formatDuration(Math.max(0, nowMs - timestampS * 1_000)) : UNKNOWN;

const transfersOf = ({ scorer }: Scraped): number =>
  sumOf(scorer, 'tsd_clickhouse_inserted_rows_total', { table: 'fact_transfers' }) ?? 0;

const minuteCounts = async (stack: Stack): Promise<readonly string[]> => {
  try {
    const text = await queryRows(stack.clickhouseUrl, MINUTE_SQL, QUERY_TIMEOUT_MS);
    return text.trim().split('\t');
  } catch {
    return [];
  }
};

/** Blocks behind the head from which history counts as being read. */
const BACKFILL_BLOCKS_MIN = 16;

/** The last block that every part has processed, and the head. */
const reached = ({ watcher, scorer, clusters, alerts }: Scraped) => {
  const head = sumOf(watcher, 'tsd_watcher_head_block') ?? 0;
  const lags = [
    sumOf(watcher, 'tsd_watcher_lag_blocks'),
    ...[scorer, clusters, alerts].map((samples) => sumOf(samples, 'tsd_reader_lag_blocks')),
  ];
  const lag = Math.max(...lags.map((blocks) => blocks ?? 0));
  return { head, lag, block: head - lag };
};

const isBackfilling = (scraped: Scraped): boolean => reached(scraped).lag > BACKFILL_BLOCKS_MIN;

/** Activity of a stack between two samples. */
interface Looks {
  readonly before: Scraped;
  readonly now: Scraped;
  readonly tookS: number;
}

/**
 * How much of the chain's history every part has processed, the speed, the remaining time, and the scoring backlog.
 * @returns undefined at the head of the chain
 */
export const describeBackfill = ({ before, now, tookS }: Looks): string | undefined => {
  if (!isBackfilling(now)) return undefined;
  const { head, lag, block } = reached(now);
  const start = sumOf(now.watcher, 'tsd_watcher_start_block') ?? 0;
  const perS = Math.max(0, (block - reached(before).block) / tookS);
  const tokens = sumOf(now.scorer, 'tsd_scoring_queue_tokens');
  return [
    `backfill ${backfillPercent(start, block, head)} %`,
    `block ${Math.max(start, block)} of ${head}`,
    `${shownRate(perS)} blocks/s`,
    perS > 0 ? `about ${formatDuration((lag / perS) * 1_000)} left` : 'time left unknown',
    tokens === undefined ? 'tokens to score unknown' : `${tokens} tokens to score`,
  ].join(', ');
};

const lookAgain = async (stack: Stack, before: Scraped): Promise<Looks> => {
  const startedMs = performance.now();
  await sleep(isBackfilling(before) ? BACKFILL_SAMPLE_MS : SAMPLE_MS);
  const now = await scrapeAll(stack);
  return { before, now, tookS: (performance.now() - startedMs) / 1_000 };
};

/** Two samples of a stack that reads history, in one line; undefined at the head of the chain. */
export const readBackfill = async (stack: Stack): Promise<string | undefined> => {
  const before = await scrapeAll(stack);
  return isBackfilling(before) ? describeBackfill(await lookAgain(stack, before)) : undefined;
};

/** Rows of a table: how far each part of the stack is behind the head of the chain. */
const lagRows = (now: Scraped, nowMs: number): string[][] => [
  ['part', 'blocks behind', 'age of last block', 'messages waiting'],
  [
    'watcher',
    shown(sumOf(now.watcher, 'tsd_watcher_lag_blocks')),
    age(sumOf(now.watcher, 'tsd_watcher_published_block_timestamp_seconds'), nowMs),
    UNKNOWN,
  ],
  ...READERS.map((reader) => [
    reader,
    shown(sumOf(now[reader], 'tsd_reader_lag_blocks')),
    age(sumOf(now[reader], 'tsd_reader_block_timestamp_seconds'), nowMs),
    shown(sumOf(now.api, 'tsd_consumer_pending_messages', { consumer: reader })),
  ]),
];

/** The consequence if a node lacks a method that the roles use. */
const COST_OF_MISSING: Readonly<Record<string, string>> = {
  eth_getBlockReceipts:
    'the receipts of a block are read one by one, so that each block takes a call for every transaction',
  eth_createAccessList:
    'contracts that the transfers of a token touch are found by its code and storage alone: where these do not name one, nobody behind it is found',
  eth_simulateV1:
    'trades are tried by eth_call with state overrides, in which no block passes and the trader is no plain account: a token that tells these apart is not found out. Without overrides sales stay unknown, and no token is called honest with more than 80 %',
};

/** Methods that nodes reported as missing since the roles were started, and the consequences. */
export const describeMissing = ({ watcher, scorer }: Scraped): string[] => {
  const missing = [...watcher, ...scorer].filter(
    ({ name, labels, value }) =>
      name === 'tsd_node_errors_total' && labels['kind'] === 'methodMissing' && value > 0,
  );
  const lines = missing.flatMap(({ labels: { node, method = '' } }) => {
    const cost = COST_OF_MISSING[method];
    return cost ? [`node ${node} has no ${method}: ${cost}`] : [];
  });
  return [...new Set(lines)];
};

/** Lag of the stack's parts, and its activity per second and minute. */
const readActivity = async (
  stack: Stack,
): Promise<{
  readonly lag: string[][];
  readonly backfill: string | undefined;
  readonly missing: readonly string[];
  readonly rates: string;
}> => {
  const [before, minute] = await Promise.all([scrapeAll(stack), minuteCounts(stack)]);
  const looks = await lookAgain(stack, before);
  const { now, tookS } = looks;
  const perS = now.scorer.length > 0 ? (transfersOf(now) - transfersOf(before)) / tookS : undefined;
  const [verdicts = UNKNOWN, alerts = UNKNOWN] = minute;
  const letters = shown(sumOf(now.api, 'tsd_stream_messages', { stream: 'DLQ' }));
  return {
    lag: lagRows(now, Date.now()),
    backfill: describeBackfill(looks),
    missing: describeMissing(now),
    rates: `${shownRate(perS)} transfers/s; in the last minute ${verdicts} verdicts, ${alerts} alerts; dead letters: ${letters}`,
  };
};

/** One sample of Prometheus' text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The samples of a text from `/metrics`; comments and invalid lines are left out. */
export const parseMetrics = (text: string): Sample[] =>
  text.split('\n').flatMap((line) => {
    const [, name, list = '', number] = LINE.exec(line) ?? [];
    if (name === undefined || number === undefined) return [];
    const labels = Object.fromEntries(
      [...list.matchAll(LABEL)].map(([, label = '', value = '']) => [label, value]),
    );
    return [{ name, labels, value: Number(number) }];
  });

/** Sum over the samples of a metric with these labels; undefined if there is none. */
export const sumOf = (
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined => {
  const found = samples.filter(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
};
