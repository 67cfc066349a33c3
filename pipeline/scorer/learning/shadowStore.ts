import { z } from 'zod';
import { addressSchema, hashSchema } from '../../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { createTableWriter } from '../../../shared/platform/rowWriter.ts';
import { hexText } from '../../../shared/rules/hexText.ts';
import { isScamOutcome } from '../../../shared/rules/isScamOutcome.ts';
import { VERDICT_AGE_S } from '../outcome/tokenOutcome.ts';
import { type ComparedToken, comparedTokenSchema } from './compareModels.ts';

/** A verdict at a horizon, with the inputs of the model in force. */
export type HorizonVerdict = z.infer<typeof unscoredSchema>;

/** A verdict by a shadow model. */
type ShadowScore = HorizonVerdict & { readonly probability: number };

/** Age of verdicts that are still looked for: a horizon may be scored late, but never that late. */
const LATE_MAX_S = 2 * 86_400;
/** Maximum tokens compared, the latest. */
const COMPARED_MAX = 50_000;
/**
 * Seconds before the latest of them within which others count: launches change, and it must not take long to find
 * that a model which was right for a year is now wrong. If these are few, at least this many count.
 */
const COMPARED_S = 28 * 86_400;
const COMPARED_AT_LEAST = 500;

const OF_MODEL = `chain_id = {chainId:UInt64} AND model_sha256 = toFixedString(unhex({sha256:String}), 32)`;
const unscoredSql = `WITH greatest({sinceS:UInt32}, (SELECT toUnixTimestamp(max(as_of)) - least(toUnixTimestamp(max(as_of)), ${LATE_MAX_S})
      FROM shadow_scores WHERE ${OF_MODEL})) AS since_s
  SELECT ${hexText('v.token')} AS token, v.block_number AS blockNumber, ${hexText('v.block_hash')} AS blockHash, v.horizon_s AS horizonS,
    toUnixTimestamp(v.as_of) AS asOfS, v.features AS features
  FROM verdict_history AS v FINAL
  WHERE v.chain_id = {chainId:UInt64} AND v.horizon_s > 0 AND v.model_sha256 = {inForce:String} AND toUnixTimestamp(v.as_of) > since_s
    AND mapContains(v.features, 'market_probability')
    AND (v.token, v.block_number, v.block_hash, v.horizon_s) NOT IN (
      SELECT token, block_number, block_hash, horizon_s FROM shadow_scores WHERE ${OF_MODEL} AND toUnixTimestamp(as_of) > since_s)
  ORDER BY v.as_of, v.token LIMIT {limit:UInt32}`;
const unscoredSchema = z.object({
  token: addressSchema,
  blockNumber: z.number(),
  blockHash: hashSchema,
  horizonS: z.number(),
  /** Unix seconds. */
  asOfS: z.number(),
  features: z.record(z.number()),
});

const OF_TOKENS = `chain_id = {chainId:UInt64} AND token IN (SELECT token FROM shadow_scores WHERE ${OF_MODEL})`;
const comparedSql = `SELECT if(t.creator = toFixedString('', 20), ${hexText('s.token')}, ${hexText('t.creator')}) AS creator,
    toUnixTimestamp(s.as_of) AS asOfS, toBool(${isScamOutcome('o.outcome')}) AS isRug, v.in_force AS inForce, s.probability AS other
  FROM (SELECT * FROM shadow_scores FINAL WHERE ${OF_MODEL} AND horizon_s = ${VERDICT_AGE_S}) AS s
  INNER JOIN (SELECT token, block_number, block_hash, features['market_probability'] AS in_force FROM verdict_history FINAL
    WHERE ${OF_TOKENS} AND horizon_s = ${VERDICT_AGE_S} AND model_sha256 = {inForce:String}) AS v
    ON v.token = s.token AND v.block_number = s.block_number AND v.block_hash = s.block_hash
  INNER JOIN (SELECT token, outcome FROM token_outcomes FINAL WHERE ${OF_TOKENS} AND outcome != 'excluded') AS o ON o.token = s.token
  LEFT JOIN (SELECT token, creator FROM dim_tokens FINAL WHERE ${OF_TOKENS}) AS t ON t.token = s.token
  ORDER BY s.as_of DESC, s.token LIMIT 1 BY s.token LIMIT ${COMPARED_MAX}`;
const comparedSchema = comparedTokenSchema.extend({ asOfS: z.number() });

const writeScores = createTableWriter<
  ShadowScore & { readonly chainId: number; readonly sha256: string; readonly nowMs: number }
>('shadow_scores', {
  chain_id: (row, { chainId }) => row.uint64(chainId),
  token: (row, { token }) => row.fixed(token),
  model_sha256: (row, { sha256 }) => row.fixed(`0x${sha256}`),
  block_number: (row, { blockNumber }) => row.uint64(blockNumber),
  block_hash: (row, { blockHash }) => row.fixed(blockHash),
  horizon_s: (row, { horizonS }) => row.uint32(horizonS),
  as_of: (row, { asOfS }) => row.uint32(asOfS),
  probability: (row, { probability }) => row.float64(probability),
  version: (row, { nowMs }) => row.uint64(nowMs),
});

export const createShadowStore = (clickhouse: Clickhouse) => ({
  /**
   * Verdicts of the model in force at horizons after a chain time, Unix seconds, that a model has not scored yet,
   * oldest first.
   */
  unscored: (query: {
    chainId: number;
    sha256: string;
    inForce: string;
    sinceS: number;
    limit: number;
  }): Promise<HorizonVerdict[]> => clickhouse.query(unscoredSql, query, unscoredSchema),
  insert: (
    chainId: number,
    sha256: string,
    scores: readonly ShadowScore[],
    nowMs: number,
  ): Promise<void> =>
    writeScores(
      clickhouse,
      scores.map((score) => ({ ...score, chainId, sha256, nowMs })),
    ),
  /** Predictions of both models for tokens an hour old with a known outcome: those of `COMPARED_S`. */
  compared: async (chainId: number, sha256: string, inForce: string): Promise<ComparedToken[]> => {
    const latest = await clickhouse.query(
      comparedSql,
      { chainId, sha256, inForce },
      comparedSchema,
    );
    const sinceS = (latest[0]?.asOfS ?? 0) - COMPARED_S;
    return latest.filter(({ asOfS }, i) => i < COMPARED_AT_LEAST || asOfS > sinceS);
  },
});
/** Scores of shadow models: the table `shadow_scores`. */
export type ShadowStore = ReturnType<typeof createShadowStore>;
