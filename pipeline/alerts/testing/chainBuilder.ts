import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts, BlocksEvent, ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import type { BurnFact, Fact, SwapFact, TransferFact } from '../../../shared/chain/fact.ts';
import type { ClusterMessage } from '../../../shared/messages/clusterMessage.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import type { WatchItem } from '../../../shared/messages/watchMessage.ts';
import { blocksEvent as chainEvent } from '../../../shared/testing/blocksEvent.ts';
import { factOf } from '../../../shared/testing/facts.ts';
import { sampleScore } from '../../../shared/testing/samples.ts';
import { MarketStates } from '../pools/marketStates.ts';
import type { Pricing } from '../pools/poolSides.ts';
import type { BlockRule, Finding, TokenProfile } from '../rules/rule.ts';

const named = (name: string, bytes: number): Hex => {
  if (name.length > bytes) throw new RangeError(`more than ${bytes} letters: ${name}`);
  return `0x${Buffer.from(name)
    .toString('hex')
    .padEnd(bytes * 2, '0')}`;
};
/** An address, the same for the same name. */
export const address = (name: string): Hex => named(name, 20);
/** A hash, the same for the same name. */
export const hash = (name: string): Hex => named(name, 32);
/** Whole coins of 18 decimals as a quantity. */
const coins = (amount: number): Hex =>
  `0x${(BigInt(Math.round(amount * 1e6)) * 10n ** 12n).toString(16)}`;

export const WETH = address('weth');
export const USD = address('usd');
export const TOKEN = address('token');
export const POOL = address('pool');
export const CREATOR = address('creator');
const ROUTER = address('router');
export const CHAIN_ID = 31_337;
/** Chain time of block 0. */
export const GENESIS_S = 1_700_000_000;
const BLOCK_TIME_S = 12;

export const PRICING: Pricing = {
  weth: WETH,
  stables: [USD],
  nativePriceUsd: 2_000,
  stableDecimals: new Map([[USD, 18]]),
};

/** The index entry of the token. */
export const PROFILE: TokenProfile = {
  token: TOKEN,
  name: 'Moon',
  symbol: 'MOON',
  creator: CREATOR,
  createdTx: hash('create'),
  totalSupply: 1_000_000e18,
};

/** Position of a fact; its log index follows from its position in the block. */
export const inTx = (tx: string) => ({ txHash: hash(tx), txIndex: 0, logIndex: 0 });

export const pairCreated = (tx = 'create', pool = POOL, token0 = TOKEN, token1 = WETH): Fact =>
  factOf('poolCreated', 0, { factory: address('factory'), pool, token0, token1, ...inTx(tx) });
/** Reserves of the pool after a change: tokens, then base coins. */
export const sync = (tx: string, tokens: number, base: number, pool = POOL): Fact =>
  factOf('sync', 0, { pool, reserve0: coins(tokens), reserve1: coins(base), ...inTx(tx) });
export const burn = (tx: string, tokens: number, base: number, to = CREATOR): BurnFact => {
  const amounts = { amount0: coins(tokens), amount1: coins(base) };
  return factOf('burn', 0, { pool: POOL, sender: ROUTER, to, ...amounts, ...inTx(tx) });
};
/** A sale of tokens for the base. */
export const sale = (tx: string, tokens: number, base: number, to: Hex): SwapFact => {
  const amounts = { amount0In: coins(tokens), amount1Out: coins(base) };
  return factOf('swap', 0, { pool: POOL, sender: ROUTER, to, ...amounts, ...inTx(tx) });
};
export const transfer = (tx: string, token: Hex, from: Hex, to: Hex, amount = 1): TransferFact =>
  factOf('transfer', 0, { token, from, to, value: coins(amount), ...inTx(tx) });

/** A block with these facts; `branch` distinguishes blocks of the same height. */
export const block = (number: number, facts: readonly Fact[] = [], branch = 'a'): BlockFacts => ({
  number,
  hash: hash(`block ${number}${branch}`),
  timestampS: GENESIS_S + number * BLOCK_TIME_S,
  facts: facts.map((fact, logIndex) => ('logIndex' in fact ? { ...fact, logIndex } : fact)),
});

/** Blocks by their numbers. */
export type Blocks = Readonly<Record<number, readonly Fact[]>>;
export const blocksOf = (facts: Blocks): BlockFacts[] =>
  Object.entries(facts).map(([number, own]) => block(Number(number), own));

/** Findings of a rule in the last of some blocks of Uniswap V2 pools. */
export const findingsIn = (
  { find }: Pick<BlockRule, 'find'>,
  blocks: readonly BlockFacts[],
  pricing = PRICING,
): Finding[] => {
  const states = new MarketStates('uniswapV2', pricing);
  const usdPerUnit = (base: Hex): number | null => states.usdPerUnit(base);
  const found = blocks.map((one) =>
    find({ chainId: 1, suspects: [], block: one, pools: states.apply(one), usdPerUnit }),
  );
  return found.at(-1) ?? [];
};

/** The event with these blocks. */
export const blocksEvent = (
  blocks: readonly BlockFacts[],
  piece: Partial<Pick<BlocksEvent, 'epoch' | 'chunk' | 'last'>> = {},
): BlocksEvent =>
  chainEvent(blocks.length > 0 ? blocks : [block(0)], { chainId: CHAIN_ID, blocks, ...piece });

/** The event that orphans these blocks. */
export const reorgEvent = (epoch: number, orphaned: readonly BlockFacts[]): ReorgEvent => {
  const ancestor = block((orphaned[0]?.number ?? 1) - 1);
  return {
    kind: 'reorg',
    chainId: CHAIN_ID,
    epoch,
    ancestor: { number: ancestor.number, hash: ancestor.hash, timestampS: ancestor.timestampS },
    orphaned: orphaned.map(({ number, hash: orphan }) => ({ number, hash: orphan })),
  };
};

/** A watchlist item for the token with all alerts. */
export const watchItem = (changes: Partial<WatchItem> = {}): WatchItem => ({
  family: 'fam1',
  id: 41,
  type: 'token',
  address: TOKEN,
  alerts: ['rug_pull', 'new_token', 'liquidity_removed', 'ownership_change'],
  sensitivity: 'medium',
  createdAtMs: 0,
  ...changes,
});

/** A verdict that changed to scam. */
export const score = (changes: Partial<ScoreMessage> = {}): ScoreMessage =>
  sampleScore({
    chainId: CHAIN_ID,
    token: TOKEN,
    name: 'Moon',
    symbol: 'MOON',
    blockNumber: 2,
    blockHash: hash('block 2a'),
    confidence: 0.9,
    riskScore: 95,
    previousPrediction: 'LEGIT',
    previousConfidence: 0.8,
    previousRiskScore: 20,
    analyzedAtMs: (GENESIS_S + 50) * 1_000,
    ...changes,
  });

/** A ring that the creator joined. */
export const ringChange = (changes: Partial<ClusterMessage> = {}): ClusterMessage => ({
  v: 1,
  chainId: CHAIN_ID,
  clusterId: 'ring1',
  name: 'Ring 1',
  change: 'changed',
  otherClusterId: null,
  size: 3,
  riskScore: 80,
  joined: [CREATOR],
  joinedCount: 1,
  left: [],
  leftCount: 0,
  trigger: { kind: 'block', txHash: hash('rug'), logIndex: 0 },
  blockNumber: 2,
  blockHash: hash('block 2a'),
  timestampS: GENESIS_S + 24,
  ...changes,
});
