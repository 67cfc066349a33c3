import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { type Fact, isOtherMarket } from '../../../shared/chain/fact.ts';
import { FEATURE_NAMES } from '../../../shared/messages/featureNames.ts';
import { DAY_S } from '../../../shared/platform/durations.ts';
import { creationsIn } from '../../clusters/facts/creations.ts';
import type { BlockGraph } from '../../clusters/facts/graphFact.ts';
import type { Ring } from '../../clusters/graph/ring.ts';
import { RingMemory } from '../../clusters/memory/ringMemory.ts';
import { judgedFeatures } from '../../scorer/features/judgedMoment.ts';
import {
  LIFE_FEATURE_NAMES,
  poolDays,
  poolLifeFeatures,
} from '../../scorer/features/poolLifeFeatures.ts';
import { HORIZONS_S } from '../../scorer/horizon/horizons.ts';
import { rangeOfBlocks } from '../../watcher/blockRange.ts';
import type { FakeChain } from '../../watcher/testing/fakeChain.ts';
import { createFakeChainIndex } from './fakeClusterStores.ts';
import { type CastPool, type CastToken, POOLS, TOKENS, WETH } from './programme.ts';
import { BASES, createSimulatedDetector } from './runPipeline.ts';
import { NATIVE_USD } from './runScorer.ts';
import type { World } from './world.ts';

/** The canonical chain decoded, empty blocks left out. */
export const canonicalBlocks = (chain: FakeChain): BlockFacts[] =>
  allBlocks(chain).flatMap((block) => {
    const facts = block.facts.filter((fact) => !isOtherMarket(fact));
    return facts.length > 0 ? [{ ...block, facts }] : [];
  });

const allBlocks = (chain: FakeChain): BlockFacts[] =>
  chain.canonical().flatMap((block) => rangeOfBlocks([block]).blocks);

/** One line a fact, for all that is kept of facts. */
export const factLine = (block: { hash: Hex; number: number; timestampS: number }, fact: Fact) =>
  [
    block.number,
    block.hash,
    block.timestampS,
    ...Object.entries(fact)
      .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      .toSorted(),
  ].join(' ');

/** Lines of all facts that have a row. */
export const expectedFacts = (chain: FakeChain): string[] =>
  allBlocks(chain)
    .flatMap((block) =>
      block.facts.filter(({ kind }) => kind !== 'creation').map((fact) => factLine(block, fact)),
    )
    .toSorted();

/** A token and where it was first seen to be one. */
export interface ExpectedToken {
  readonly token: CastToken;
  readonly block: BlockFacts;
}

const isSight = (token: CastToken, fact: Fact): boolean => {
  if (fact.kind === 'transfer') return fact.token === token.address;
  return (
    fact.kind === 'poolCreated' && (fact.token0 === token.address || fact.token1 === token.address)
  );
};
const isCreation = (token: CastToken, fact: Fact): boolean =>
  fact.kind === 'creation' && fact.contract === token.address;

/**
 * The block that first shows a contract to be a token: a deployed one where it was made, one made by a
 * factory where it first acts or is paired, a silent one where it first acts once it is there.
 */
export const expectedTokens = (blocks: readonly BlockFacts[]): ExpectedToken[] =>
  TOKENS.flatMap((token): ExpectedToken[] => {
    const { nature } = token;
    if (nature === 'notToken') return [];
    const made = blocks.find(({ facts }) => facts.some((fact) => isCreation(token, fact)));
    if (nature === 'deployed') return made ? [{ token, block: made }] : [];
    const from = nature === 'factory' ? 0 : (made?.number ?? Number.POSITIVE_INFINITY);
    const block = blocks.find(
      ({ number, facts }) => number >= from && facts.some((fact) => isSight(token, fact)),
    );
    return block ? [{ token, block }] : [];
  });

/** Addresses of the pools that exist. */
export const expectedPools = (blocks: readonly BlockFacts[]): Hex[] =>
  POOLS.map(({ address }) => address).filter((pool) =>
    blocks.some(({ facts }) =>
      facts.some((fact) => fact.kind === 'poolCreated' && fact.pool === pool),
    ),
  );

/** What a verdict must say: the block it is as of, and its features. */
interface ExpectedVerdict {
  readonly block: Hex;
  readonly features: Readonly<Record<string, number>>;
}

const COIN = 1e18;
/** Risk of a creator with one token: nothing is known but the prior. */
const RISK_OF_UNKNOWN = 50;
/** Each creator of the cast makes one token with one pool: nothing came before. */
const RECORD_OF_UNKNOWN = { pools: 0, drained: 0, lastFirstSyncS: undefined };
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

const balancesOf = (transfers: ReturnType<typeof transfersOf>): Map<Hex, bigint> => {
  const balances = new Map<Hex, bigint>();
  const move = (of: Hex, by: bigint): void => void balances.set(of, (balances.get(of) ?? 0n) + by);
  for (const { from, to, value } of transfers) {
    move(from, -BigInt(value));
    move(to, BigInt(value));
  }
  balances.delete(ZERO_ADDRESS);
  return balances;
};

const holderFeatures = (transfers: ReturnType<typeof transfersOf>) => {
  const balances = balancesOf(transfers);
  const held = [...balances.values()].filter((raw) => raw > 0n).map(Number);
  const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
  const top = sum(held.toSorted((a, b) => b - a).slice(0, TOP_HOLDERS));
  return {
    holder_count: held.length,
    transaction_count: new Set(transfers.map(({ txHash }) => txHash)).size,
    top_10_concentration: held.length > 0 ? Math.min(1, top / sum(held)) : 0,
  };
};

const observedOf = (names: readonly string[], values: Float64Array): Record<string, number> =>
  Object.fromEntries(
    names.flatMap((name, i) => {
      const value = values[i];
      return value !== undefined && Number.isFinite(value) ? [[name, value]] : [];
    }),
  );

const marketFeatures = (all: readonly Sync[], asOfS: number): Record<string, number> => {
  const syncs = all.map(({ block, base, amount }) => ({
    timestampS: block.timestampS,
    blockNumber: block.number,
    reserveBase: base / COIN,
    reserveToken: amount,
  }));
  const firstSyncS = syncs[0]?.timestampS ?? asOfS;
  const life = {
    days: poolDays(syncs),
    firstSyncS,
    creatorPools: RECORD_OF_UNKNOWN.pools,
    creatorDrained: RECORD_OF_UNKNOWN.drained,
  };
  return {
    ...observedOf(FEATURE_NAMES, judgedFeatures({ syncs, creator: RECORD_OF_UNKNOWN }, asOfS)),
    ...(asOfS - firstSyncS > DAY_S &&
      observedOf(LIFE_FEATURE_NAMES, poolLifeFeatures(life, asOfS))),
  };
};

/** Price, and what sales take out: the product of both reserves stays, of what comes in 0.3 % is the pool's. */
const quoteFeatures = (
  { base, amount }: Sync,
  transfers: ReturnType<typeof transfersOf>,
): Record<string, number> => {
  const pools = new Set(POOLS.map(({ address }) => address));
  const inHands = [...balancesOf(transfers)]
    .filter(([of, raw]) => raw > 0n && !pools.has(of))
    .reduce((sum, [, raw]) => sum + Number(raw), 0);
  const price = amount > 0 && base > 0 ? base / amount : undefined;
  const depths = [1, 5, 100].map((percent): [string, number] => {
    const paid = Math.floor((inHands * percent) / 100) * 0.997;
    const out = paid > 0 ? (paid * base) / (amount + paid) : 0;
    return [`depth_${percent}pct_usd`, (Math.floor(out) * NATIVE_USD) / COIN];
  });
  return {
    ...(price !== undefined && { price_native: price, price_usd: price * NATIVE_USD }),
    ...(transfers.length > 0 ? Object.fromEntries(depths) : {}),
  };
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
  const firstSyncS = pool && syncsOf(pool, token, blocks)[0]?.block.timestampS;
  if (firstSyncS === undefined) return [];
  return HORIZONS_S.map((horizonS) => ({ atS: firstSyncS + horizonS, horizonS })).filter(
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
  const sync = syncs.at(-1);
  const quote = sync ? quoteFeatures(sync, transfersOf(token.address, past)) : {};
  const liquidityUsd = (2 * (syncs.at(-1)?.base ?? 0) * NATIVE_USD) / COIN;
  return {
    block: last.hash,
    features: {
      ...holderFeatures(transfersOf(token.address, past)),
      liquidity_usd: liquidityUsd,
      creator_risk_score: RISK_OF_UNKNOWN,
      ...quote,
      ...(syncs.length > 0 ? marketFeatures(syncs, asOfS) : {}),
    },
  };
};

/** What the canonical chain and the verdicts in force alone give. */
interface ExpectedRings {
  readonly graphs: readonly BlockGraph[];
  readonly rings: readonly Ring[];
}

/** Reads the whole chain at once with a fresh detector. */
export const expectedRings = async ({ programme, database }: World): Promise<ExpectedRings> => {
  const index = createFakeChainIndex(database, async (effect) => effect());
  const tokens = TOKENS.map(({ address }) => address);
  const blocks = canonicalBlocks(programme.chain);
  const created = creationsIn(await index.creations(tokens), blocks);
  const detector = createSimulatedDetector();
  const memory = new RingMemory(detector, BASES);
  const graphs = blocks.map((block) => memory.graphOf(block, created));
  for (const graph of graphs) memory.load(graph);
  for (const token of await index.scams()) detector.loadVerdict(token, true);
  detector.findRings();
  return { graphs, rings: [...detector.rings()] };
};
