import { poolFeatures } from '../../../pipeline/scorer/features/poolFeatures.ts';
import { HORIZONS_S } from '../../../pipeline/scorer/horizon/horizons.ts';
import { type Hex, ZERO_ADDRESS } from '../../chain/block.ts';
import type { BlockFacts } from '../../chain/chainEvent.ts';
import { FEATURE_NAMES } from '../../messages/featureNames.ts';
import { type CastPool, POOLS, WETH } from './cast.ts';
import type { ExpectedToken } from './factOracle.ts';
import { NATIVE_USD } from './runScorer.ts';

/** What a verdict must say: the block it is as of, and its features. */
export interface ExpectedVerdict {
  readonly block: Hex;
  readonly features: Readonly<Record<string, number>>;
}

const COIN = 1e18;
/** Risk of a creator with one token: nothing is known but the prior. */
const RISK_OF_UNKNOWN = 50;
/** Each creator of the cast makes one token with one pool: nothing came before. */
const RECORD_OF_UNKNOWN = { pools: 0, drained: 0, lastBornS: undefined };
const TOP_HOLDERS = 10;

interface Sync {
  readonly block: BlockFacts;
  readonly base: number;
  readonly amount: number;
}

const syncsOf = (pool: CastPool, token: Hex, blocks: readonly BlockFacts[]): Sync[] =>
  blocks.flatMap((block) =>
    block.facts.flatMap((fact): Sync[] => {
      if (fact.kind !== 'sync' || fact.pool !== pool.address) return [];
      const [reserve0, reserve1] = [Number(fact.reserve0), Number(fact.reserve1)];
      return pool.token0 === token
        ? [{ block, base: reserve1, amount: reserve0 }]
        : [{ block, base: reserve0, amount: reserve1 }];
    }),
  );

const transfersOf = (token: Hex, blocks: readonly BlockFacts[]) =>
  blocks.flatMap((block) =>
    block.facts.flatMap((fact) =>
      fact.kind === 'transfer' && fact.token === token ? [{ block, ...fact }] : [],
    ),
  );

const holderFeatures = (transfers: ReturnType<typeof transfersOf>) => {
  const balances = new Map<Hex, bigint>();
  const move = (of: Hex, by: bigint): void => void balances.set(of, (balances.get(of) ?? 0n) + by);
  for (const { from, to, value } of transfers) {
    move(from, -BigInt(value));
    move(to, BigInt(value));
  }
  balances.delete(ZERO_ADDRESS);
  const held = [...balances.values()].filter((raw) => raw > 0n).map(Number);
  const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
  const top = sum(held.toSorted((a, b) => b - a).slice(0, TOP_HOLDERS));
  return {
    holder_count: held.length,
    transaction_count: new Set(transfers.map(({ txHash }) => txHash)).size,
    top_10_concentration: held.length > 0 ? Math.min(1, top / sum(held)) : 0,
  };
};

const marketFeatures = (syncs: readonly Sync[], asOfS: number): Record<string, number> => {
  const values = poolFeatures(
    {
      syncs: syncs.map(({ block, base, amount }) => ({
        timestampS: block.timestampS,
        blockNumber: block.number,
        reserveBase: base / COIN,
        reserveToken: amount,
      })),
      creator: RECORD_OF_UNKNOWN,
    },
    asOfS,
  );
  return Object.fromEntries(
    FEATURE_NAMES.flatMap((name, i) => {
      const value = values[i];
      return value !== undefined && Number.isFinite(value) ? [[name, value]] : [];
    }),
  );
};

const poolOf = (token: Hex): CastPool | undefined =>
  token === WETH ? undefined : POOLS.find(({ token0, token1 }) => [token0, token1].includes(token));

const touches = (token: Hex, pool: CastPool | undefined, { facts }: BlockFacts): boolean =>
  facts.some(
    (fact) =>
      (fact.kind === 'transfer' && fact.token === token) ||
      (fact.kind === 'ownershipTransferred' && fact.contract === token) ||
      (fact.kind === 'sync' && fact.pool === pool?.address),
  );

/** Horizons that a token's pool has passed by a time, Unix seconds and age in seconds. */
export const passedHorizons = (
  { token: { address: token }, block: first }: ExpectedToken,
  blocks: readonly BlockFacts[],
  untilS: number,
): { atS: number; horizonS: number }[] => {
  const pool = poolOf(token);
  const bornS = pool && syncsOf(pool, token, blocks)[0]?.block.timestampS;
  if (bornS === undefined) return [];
  return HORIZONS_S.map((horizonS) => ({ atS: bornS + horizonS, horizonS })).filter(
    ({ atS }) => atS < untilS && atS >= first.timestampS,
  );
};

/** The time that a verdict made after all of `blocks` is as of, the chain having come to `untilS`. */
export const latestAsOfS = (
  expected: ExpectedToken,
  blocks: readonly BlockFacts[],
  untilS: number,
): number => {
  const { token, block: first } = expected;
  const pool = poolOf(token.address);
  const touched = blocks.findLast((block) => touches(token.address, pool, block));
  const passed = passedHorizons(expected, blocks, untilS).at(-1)?.atS ?? 0;
  return Math.max(first.timestampS, touched?.timestampS ?? 0, passed);
};

/** The verdict on a token as of a time, Unix seconds. */
export const expectedVerdict = (
  { token, block: first }: ExpectedToken,
  blocks: readonly BlockFacts[],
  asOfS: number,
): ExpectedVerdict => {
  const past = blocks.filter(({ timestampS }) => timestampS <= asOfS);
  const pool = poolOf(token.address);
  const syncs = pool ? syncsOf(pool, token.address, past) : [];
  const touched = past.findLast((block) => touches(token.address, pool, block));
  const last = touched && touched.number > first.number ? touched : first;
  const liquidityUsd = (2 * (syncs.at(-1)?.base ?? 0) * NATIVE_USD) / COIN;
  return {
    block: last.hash,
    features: {
      ...holderFeatures(transfersOf(token.address, past)),
      liquidity_usd: liquidityUsd,
      creator_risk_score: RISK_OF_UNKNOWN,
      ...(syncs.length > 0 ? marketFeatures(syncs, asOfS) : {}),
    },
  };
};
