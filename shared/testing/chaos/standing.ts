import type { JetStreamManager, NatsConnection } from 'nats';
import { z } from 'zod';
import { decodeChainEvent } from '../../messages/chainMessage.ts';
import {
  CHAIN_READERS,
  type ChainReader,
  chainStream,
  EVENTS_STREAM,
  PUSH_CONSUMER,
} from '../../messages/subjects.ts';
import type { Clickhouse } from '../../platform/clickhouse.ts';

/** A durable consumer of the events: how far it is, and what it has not done yet. */
export interface EventReader {
  readonly name: string;
  readonly acknowledged: number;
  readonly waiting: number;
}

/** Where streams and readers stand. */
export interface Standing {
  /** Of the chain's stream. */
  readonly lastSeq: number;
  /** Last complete block of the stream; undefined where a reorg or nothing stands last. */
  readonly tip: string | undefined;
  readonly acknowledged: Readonly<Record<ChainReader, number>>;
  /** Of the events, those of this chain: push, the verdicts that clusters and alerts read. */
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

/** Asks JetStream. Undefined while it is away. */
export const readStanding = async (
  connection: NatsConnection,
  chainId: number,
): Promise<Standing | undefined> => {
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
  WHERE a.chain_id = {chainId:UInt64} AND a.position > v.version AND t.present = 1`;

/** Tokens whose verdict is behind; undefined while ClickHouse is away. */
export const readDue = async (
  clickhouse: Clickhouse,
  chainId: number,
): Promise<number | undefined> => {
  try {
    const [row] = await clickhouse.query(dueSql, { chainId }, z.object({ due: z.number() }));
    return row?.due;
  } catch {
    return undefined;
  }
};
