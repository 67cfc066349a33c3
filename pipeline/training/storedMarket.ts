import { z } from 'zod';
import { ZERO_ADDRESS } from '../../shared/chain/block.ts';
import type { BasePrices } from '../../shared/market/basePrices.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { slicesOf } from '../../shared/platform/slicesOf.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { createFeatureStore } from '../scorer/features/featureStore.ts';
import { valuePool } from '../scorer/features/tokenFeatures.ts';
import { type Reached, readUniswapV2, readUnsellable } from '../scorer/outcome/outcomeStore.ts';
import { VERDICT_AGE_S } from '../scorer/outcome/tokenOutcome.ts';
import type { RecordedPool } from './recordedMarket.ts';

/** Tokens used for training: the latest, some weeks of a busy chain. */
const TOKENS_MAX = 30_000;
/** Tokens read together. */
const TOKENS_PER_READ = 50;

/** The market model's features are those of Uniswap V2 pools. */
const decidedSql = `SELECT ${hexText('o.token')} AS token, ${hexText('substring(o.market, 13)')} AS pool,
    toUnixTimestamp(o.judged_at) - ${VERDICT_AGE_S} AS firstSyncS
  FROM token_outcomes AS o FINAL
  WHERE o.chain_id = {chainId:UInt64} AND (o.token, toFixedString(substring(o.market, 13), 20)) IN (SELECT token, pool FROM dim_pools FINAL WHERE chain_id = {chainId:UInt64})
  ORDER BY o.judged_at DESC, o.market DESC LIMIT ${TOKENS_MAX}`;
const decidedSchema = z.object({
  token: addressSchema,
  pool: addressSchema,
  firstSyncS: z.number(),
});
type Decided = z.output<typeof decidedSchema>;

/** Where the tokens of a chain are read from. */
interface StoredMarketSource {
  readonly clickhouse: Clickhouse;
  /** The last block whose facts are stored in full. */
  readonly reached: Reached;
  /** Time of its block, Unix seconds. */
  readonly untilS: number;
  readonly prices: BasePrices;
}

/** Some of the tokens with all inputs of features and labels. */
const readPools = async (
  { clickhouse, reached, untilS, prices }: StoredMarketSource,
  decided: readonly Decided[],
): Promise<RecordedPool[]> => {
  const { chainId, block } = reached;
  const tokens = decided.map(({ token }) => token);
  const bases = [...prices.keys()];
  const facts = await createFeatureStore(clickhouse).read(chainId, tokens, bases, block.number);
  const unsellable = await readUnsellable(clickhouse, reached, tokens);
  const found: RecordedPool[] = [];
  for (const { token, pool, firstSyncS } of decided) {
    const observed = await readUniswapV2(
      clickhouse,
      reached,
      { token, firstSyncS, untilS },
      prices,
    );
    const syncs = observed?.find((one) => one.pool === pool)?.syncs;
    const row = facts.pools.get(token)?.find(({ pool_address }) => pool_address === pool);
    const valued = row && valuePool(row, prices);
    const bornS = syncs?.[0]?.timestampS;
    if (!syncs || !valued || bornS === undefined) continue;
    const creator = facts.profiles.get(token)?.creator_address ?? ZERO_ADDRESS;
    found.push({
      pool,
      token,
      creator: creator === ZERO_ADDRESS ? '' : creator,
      cohort: `chain ${chainId}`,
      firstSyncS: bornS,
      unsellableSinceS: unsellable.get(token),
      series: { ...valued.series, syncs },
    });
  }
  return found;
};

/**
 * The tokens of a chain with a known outcome, with the facts from which features are computed, read by the scorer's
 * own queries. One pool per token, the one its outcome is about; oldest first.
 */
export async function* readStoredMarket(source: StoredMarketSource): AsyncGenerator<RecordedPool> {
  const { chainId } = source.reached;
  const decided = await source.clickhouse.query(decidedSql, { chainId }, decidedSchema);
  decided.reverse();
  for (const some of slicesOf(decided, TOKENS_PER_READ)) yield* await readPools(source, some);
}

const chainsSql = `SELECT DISTINCT p.chain_id AS chain_id FROM chain_progress AS p FINAL WHERE p.reader = 'scorer' ORDER BY chain_id`;

/** Chains with any stored data. */
export const storedChains = async (clickhouse: Clickhouse): Promise<number[]> => {
  const rows = await clickhouse.query(chainsSql, {}, z.object({ chain_id: z.number() }));
  return rows.map(({ chain_id }) => chain_id);
};
