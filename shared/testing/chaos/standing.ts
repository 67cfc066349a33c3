import type { NatsConnection } from 'nats';
import { z } from 'zod';
import type { Clickhouse } from '../../adapters/clickhouse.ts';
import { decodeChainEvent } from '../../messages/chainMessage.ts';
import { CHAIN_READERS, type ChainReader, chainStream } from '../../messages/subjects.ts';

/** Where stream and readers stand. */
export interface Standing {
  readonly lastSeq: number;
  /** Last complete block of the stream; undefined where a reorg or nothing stands last. */
  readonly tip: string | undefined;
  readonly acknowledged: Readonly<Record<ChainReader, number>>;
}

const ANSWER_MS_MAX = 5_000;

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
    let tip: string | undefined;
    for (let seq = state.last_seq; seq >= state.first_seq && seq > 0; seq -= 1) {
      const event = decodeChainEvent((await jsm.streams.getMessage(stream, { seq })).data);
      if (event.kind === 'finalize') continue;
      if (event.kind === 'blocks' && event.last) tip = event.to.hash;
      break;
    }
    const { scorer = 0, alerts = 0, clusters = 0 } = acknowledged;
    return { lastSeq: state.last_seq, tip, acknowledged: { scorer, alerts, clusters } };
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
