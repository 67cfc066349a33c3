import assert from 'node:assert/strict';
import type { JetStreamManager, NatsConnection } from 'nats';
import { z } from 'zod';
import { decodeChainEvent } from '../../../shared/messages/chainMessage.ts';
import {
  CHAIN_READERS,
  type ChainReader,
  chainStream,
  EVENTS_STREAM,
  PUSH_CONSUMER,
} from '../../../shared/messages/subjects.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import type { Rpc } from '../../../shared/platform/rpc/createRpc.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { DEVNET_ADDRESSES } from '../../../shared/testing/devnet/devnetAddresses.ts';

const text = z.object({ line: z.string() });
const lines = async (clickhouse: Clickhouse, sql: string): Promise<string[]> =>
  (await clickhouse.query(sql, {}, text)).map(({ line }) => line).toSorted();

/** One line per stored transfer, in the form of `transferLines`. */
export const storedTransfers = (clickhouse: Clickhouse): Promise<string[]> =>
  lines(
    clickhouse,
    `SELECT concat(t.block_hash, ' ', toString(t.log_index), ' ', t.token, ' ', t.from_address, ' ',
      t.to_address, ' ', toString(t.value)) AS line FROM transfers AS t`,
  );

/** One line per stored pool event, in the form of `poolEventLines`. */
export const storedPoolEvents = (clickhouse: Clickhouse): Promise<string[]> =>
  lines(
    clickhouse,
    `SELECT concat(e.block_hash, ' ', toString(e.log_index), ' ', e.pool, ' ', toString(e.kind), ' ',
      toString(e.reserve0), ' ', toString(e.reserve1)) AS line FROM pool_events AS e`,
  );

const tokenSchema = z.object({ token: z.string(), creator: z.string(), block: z.string() });

/** Stored tokens with creator and the block in which they were first seen. */
export const storedTokens = (clickhouse: Clickhouse) =>
  clickhouse.query(
    'SELECT t.token AS token, t.creator AS creator, t.created_block_hash AS block FROM tokens AS t',
    {},
    tokenSchema,
  );

const verdictSchema = z
  .object({ token: z.string(), block: z.string(), doc: z.string() })
  .transform(({ doc, ...row }) => ({
    ...row,
    features: z.object({ features: z.record(z.number()) }).parse(JSON.parse(doc)).features,
  }));

/** Verdicts in force. */
export const storedVerdicts = (clickhouse: Clickhouse) =>
  clickhouse.query(
    'SELECT v.token AS token, v.block_hash AS block, v.doc AS doc FROM verdicts AS v',
    {},
    verdictSchema,
  );

/** Blocks with verdicts in the history. */
export const historyBlocks = (clickhouse: Clickhouse): Promise<string[]> =>
  lines(
    clickhouse,
    `SELECT DISTINCT concat('0x', lower(hex(h.block_hash))) AS line FROM verdict_history AS h FINAL`,
  );

const alertSchema = z
  .object({
    watchId: z.number(),
    type: z.string(),
    block: z.string(),
    logIndex: z.number(),
    severity: z.string(),
    details: z.string(),
  })
  .transform(({ details, ...row }) => {
    const change = z
      .object({ liquidity_change: z.number().optional() })
      .parse(JSON.parse(details)).liquidity_change;
    return { ...row, change: change ?? null };
  });

/** Alerts in force. */
export const storedAlerts = (clickhouse: Clickhouse) =>
  clickhouse.query(
    `SELECT a.watch_id AS watchId, a.type AS type, concat('0x', lower(hex(a.block_hash))) AS block,
      a.log_index AS logIndex, toString(a.severity) AS severity, a.details AS details
      FROM alerts AS a FINAL`,
    {},
    alertSchema,
  );

/** A durable consumer of the events: its position, and its pending messages. */
export interface EventReader {
  readonly name: string;
  readonly acknowledged: number;
  readonly waiting: number;
}

/** Positions of streams and readers. */
export interface StreamProgress {
  /** Of the chain's stream. */
  readonly lastSeq: number;
  /** Last complete block of the stream; undefined if a reorg is last, or it is empty. */
  readonly tip: string | undefined;
  readonly acknowledged: Readonly<Record<ChainReader, number>>;
  /** For the events of this chain: push, and the verdicts that clusters and alerts read. */
  readonly events: readonly EventReader[];
}

const ANSWER_MS_MAX = 5_000;

const readTip = async (
  jsm: JetStreamManager,
  stream: string,
  { first, last }: { first: number; last: number },
): Promise<string | undefined> => {
  for (let seq = last; seq >= first && seq > 0; seq -= 1) {
    const event = decodeChainEvent((await jsm.streams.getMessage(stream, { seq })).data);
    if (event.kind === 'finalize') continue;
    return event.kind === 'blocks' && event.last ? event.to.hash : undefined;
  }
  return undefined;
};

/** Asks JetStream. Undefined while it is unavailable. */
export const readStreamProgress = async (
  connection: NatsConnection,
  chainId: number,
): Promise<StreamProgress | undefined> => {
  try {
    const stream = chainStream(chainId);
    const jsm = await connection.jetstreamManager({ timeout: ANSWER_MS_MAX, checkAPI: false });
    const { state } = await jsm.streams.info(stream);
    const acknowledged: Partial<Record<ChainReader, number>> = {};
    for (const reader of CHAIN_READERS) {
      acknowledged[reader] = (await jsm.consumers.info(stream, reader)).ack_floor.stream_seq;
    }
    const tip = await readTip(jsm, stream, { first: state.first_seq, last: state.last_seq });
    const durables = [PUSH_CONSUMER, `clusters-${chainId}`, `alerts-${chainId}`];
    const events: EventReader[] = [];
    for (const { name, ack_floor, num_pending, num_ack_pending } of await jsm.consumers
      .list(EVENTS_STREAM)
      .next()) {
      if (!durables.includes(name)) continue;
      const waiting = num_pending + num_ack_pending;
      events.push({ name, acknowledged: ack_floor.stream_seq, waiting });
    }
    const { scorer = 0, alerts = 0, clusters = 0 } = acknowledged;
    return { lastSeq: state.last_seq, tip, acknowledged: { scorer, alerts, clusters }, events };
  } catch {
    return undefined;
  }
};

const dueSql = `SELECT count() AS due FROM token_activity AS a FINAL
  LEFT JOIN (SELECT token, version FROM token_verdicts FINAL WHERE chain_id = {chainId:UInt64}) AS v ON v.token = a.token
  LEFT JOIN (SELECT token, 1 AS present FROM dim_tokens FINAL WHERE chain_id = {chainId:UInt64}) AS t ON t.token = a.token
  WHERE a.chain_id = {chainId:UInt64} AND a.position > v.version AND t.present = 1
    AND ${hexText('a.token')} NOT IN {besides:Array(String)}`;

/**
 * Base tokens of the devnet. They are scored once a minute, and not waited for if their verdicts do not matter.
 */
export const DEVNET_BASES: readonly string[] = [DEVNET_ADDRESSES.weth, DEVNET_ADDRESSES.stable];

/** Tokens with an outdated verdict, except the given ones; undefined while ClickHouse is unavailable. */
export const readDue = async (
  clickhouse: Clickhouse,
  chainId: number,
  besides: readonly string[] = [],
): Promise<number | undefined> => {
  try {
    const [row] = await clickhouse.query(
      dueSql,
      { chainId, besides },
      z.object({ due: z.number() }),
    );
    return row?.due;
  } catch {
    return undefined;
  }
};

/**
 * Whether everything is read, and every verdict is stored except those on base tokens; undefined if not, for `until`.
 */
export const isAllRead = async (
  stack: { readonly nats: NatsConnection; readonly clickhouse: Clickhouse },
  rpc: Rpc,
  chainId: number,
): Promise<true | undefined> => {
  const progress = await readStreamProgress(stack.nats, chainId);
  const { hash } = (await rpc.source.follow(0, 0)).head;
  if (!progress || progress.tip !== hash) return undefined;
  const { scorer, clusters } = progress.acknowledged;
  if (Math.min(scorer, clusters) < progress.lastSeq) return undefined;
  return (await readDue(stack.clickhouse, chainId, DEVNET_BASES)) === 0 || undefined;
};

/** Fails with only what is unexpected and what is missing. */
export const assertSameLines = (
  actual: readonly string[],
  expected: readonly string[],
  what: string,
): void => {
  const [there, wanted] = [new Set(actual), new Set(expected)];
  assert.deepEqual(
    {
      tooMuch: actual.filter((line) => !wanted.has(line)),
      missing: expected.filter((line) => !there.has(line)),
      lines: actual.length,
    },
    { tooMuch: [], missing: [], lines: expected.length },
    what,
  );
};
