import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { slicesOf } from '../../shared/platform/slicesOf.ts';
import { hexText } from '../../shared/rules/hexText.ts';

/**
 * A token that may have become a scam or ceased to be one, and when its verdict was stored, Unix milliseconds.
 */
interface Turn {
  readonly token: Hex;
  readonly atMs: number;
}

/** Dependencies of following reversed verdicts. */
export interface TurnReaderPorts {
  /** Start time, Unix milliseconds: all earlier verdicts are known. */
  readonly fromMs: number;
  /** Verdicts stored at or after a time, in order, at most `TURNS_MAX`. */
  readonly turnsSince: (sinceMs: number) => Promise<Turn[]>;
  /** Re-examines tokens; idempotent. */
  readonly turned: (tokens: readonly Hex[]) => Promise<void>;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly logger: Pick<Logger, 'warn'>;
}

const POLL_MS = 2_000;
/** Rows become visible at most this long after their timestamp; the clocks of servers differ by less. */
const LATE_MS_MAX = 30_000;
/** Verdicts read at a time: more than scorers ever store within `LATE_MS_MAX`. */
const TURNS_MAX = 100_000;
/** Tokens examined together: messages are handled in between. */
const TOGETHER_MAX = 256;

const turnsSql = `SELECT ${hexText('v.token')} AS token, intDiv(v.seq, 1000) AS atMs
  FROM token_verdicts AS v
  WHERE v.chain_id = {chainId:UInt64} AND v.seq >= {sinceMs:UInt64} * 1000
  ORDER BY v.seq, v.token LIMIT ${TURNS_MAX}`;
const turnRow = z.object({ token: addressSchema, atMs: countSchema });

/**
 * Reads which verdicts of one chain were stored. It includes verdicts that did not reverse, because a later one may
 * have replaced one that did.
 */
export const createTurnsSince =
  (clickhouse: Clickhouse, chainId: number): TurnReaderPorts['turnsSince'] =>
  (sinceMs) =>
    clickhouse.query(turnsSql, { chainId, sinceMs }, turnRow);

/**
 * Follows the verdicts in the table until `signal` aborts. Messages are faster, but there are none for past verdicts
 * that a scorer computes while catching up, nor for one that was stored right before its scorer died.
 */
export const readTurns = async (ports: TurnReaderPorts, signal: AbortSignal): Promise<void> => {
  const { fromMs, turnsSince, turned, clock, logger } = ports;
  let lastMs = fromMs;
  let seen = new Map<Hex, number>();
  while (!signal.aborted) {
    try {
      const turns = await turnsSince(lastMs - LATE_MS_MAX);
      const fresh = turns.filter(({ token, atMs }) => seen.get(token) !== atMs);
      const tokens = [...new Set(fresh.map(({ token }) => token))];
      for (const some of slicesOf(tokens, TOGETHER_MAX)) await turned(some);
      seen = new Map(turns.map(({ token, atMs }) => [token, atMs]));
      lastMs = turns.at(-1)?.atMs ?? lastMs;
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      logger.warn({ err: error }, 'turns of verdicts will be read again');
    }
    await clock.sleep(POLL_MS, signal);
  }
};
