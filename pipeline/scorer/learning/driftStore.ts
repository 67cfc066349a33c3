import { z } from 'zod';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { isScamOutcome } from '../../../shared/rules/isScamOutcome.ts';
import { VERDICT_AGE_S } from '../outcome/tokenOutcome.ts';
import { type CalibrationBin, calibrationBinSchema } from './drift.ts';

/** A span of chain time in Unix seconds: the start is exclusive, the end inclusive. */
export interface ChainSpan {
  readonly chainId: number;
  readonly afterS: number;
  readonly untilS: number;
}

const SAMPLE_MAX = 2_000;
const CALIBRATION_BINS = 5;

const IN_SPAN = (column: string): string =>
  `toUnixTimestamp(${column}) > {afterS:UInt32} AND toUnixTimestamp(${column}) <= {untilS:UInt32}`;

const featuresSql = `SELECT v.features AS observed FROM verdict_history AS v FINAL
  WHERE v.chain_id = {chainId:UInt64} AND v.horizon_s = ${VERDICT_AGE_S} AND ${IN_SPAN('v.as_of')} AND mapContains(v.features, 'market_probability')
  ORDER BY cityHash64(v.token) LIMIT ${SAMPLE_MAX}`;

const calibrationSql = `SELECT least(${CALIBRATION_BINS - 1}, toUInt8(v.p * ${CALIBRATION_BINS})) AS bin, count() AS tokens, countIf(${isScamOutcome('o.outcome')}) AS rugs,
    sum(v.p) AS predicted, sum(v.p * (1 - v.p)) AS variance
  FROM (SELECT token, any(features['market_probability']) AS p FROM verdict_history FINAL WHERE chain_id = {chainId:UInt64}
      AND horizon_s = ${VERDICT_AGE_S} AND model_sha256 = {sha256:String} AND ${IN_SPAN('as_of')} AND mapContains(features, 'market_probability')
    GROUP BY token) AS v
  INNER JOIN (SELECT token, outcome FROM token_outcomes FINAL WHERE chain_id = {chainId:UInt64} AND outcome != 'excluded'
    AND ${IN_SPAN('judged_at')}) AS o ON o.token = v.token
  GROUP BY bin ORDER BY bin`;

const outcomesSql = `SELECT count() AS tokens, countIf(${isScamOutcome('o.outcome')}) AS rugs FROM token_outcomes AS o FINAL
  WHERE o.chain_id = {chainId:UInt64} AND o.outcome != 'excluded' AND ${IN_SPAN('o.judged_at')}`;
const outcomesSchema = z.object({ tokens: z.number(), rugs: z.number() });

export const createDriftStore = (clickhouse: Clickhouse) => ({
  /** Model inputs of tokens an hour old, for a uniform sample of those in the span. */
  features: async (span: ChainSpan): Promise<Readonly<Record<string, number>>[]> => {
    const rows = await clickhouse.query(
      featuresSql,
      { ...span },
      z.object({ observed: z.record(z.number()) }),
    );
    return rows.map(({ observed }) => observed);
  },
  /** A model's predictions for tokens an hour old in the span, and their outcomes, by bins of probability. */
  calibration: (span: ChainSpan, sha256: string): Promise<CalibrationBin[]> =>
    clickhouse.query(calibrationSql, { ...span, sha256 }, calibrationBinSchema),
  /** Outcomes of all tokens that were an hour old in the span. */
  outcomes: async (span: ChainSpan): Promise<{ tokens: number; rugs: number }> => {
    const [row] = await clickhouse.query(outcomesSql, { ...span }, outcomesSchema);
    return row ?? { tokens: 0, rugs: 0 };
  },
});
/** Reads the data that shows whether launches still resemble a model's training data. */
export type DriftStore = ReturnType<typeof createDriftStore>;
