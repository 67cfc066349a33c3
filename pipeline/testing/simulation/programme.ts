import { toEventSelector } from 'viem';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { TOPIC } from '../../../shared/decode/topic.ts';
import type { WatchItem } from '../../../shared/messages/watchMessage.ts';
import { dataOf as data, topicOf as topic } from '../../../shared/testing/evmData.ts';
import type { Random } from '../../../shared/testing/random.ts';
import {
  createFakeChain,
  type FakeBlock,
  type FakeChain,
  type FakeTransaction,
} from '../../watcher/testing/fakeChain.ts';

const address = (kind: number, index: number): Hex =>
  `0x${(kind * 0x10000 + index + 1).toString(16).padStart(40, 'a')}`;

/**
 * Kinds of contracts in the simulation: a token deployed by a transaction, one created by a factory, one that only
 * acts like a token and answers no call, and one that is none.
 */
type TokenNature = 'deployed' | 'factory' | 'silent' | 'notToken';

/** A contract that sends Transfers. Its creator sends all of its transactions. */
export interface CastToken {
  readonly address: Hex;
  readonly nature: TokenNature;
  readonly creator: Hex;
}

/** A pool of a token against the base token. */
export interface CastPool {
  readonly address: Hex;
  readonly token0: Hex;
  readonly token1: Hex;
  readonly maker: Hex;
}

const NATURES: readonly TokenNature[] = [
  'deployed',
  'factory',
  'silent',
  'notToken',
  'deployed',
  'factory',
];

export const CHAIN_ID = 31_337;
const FACTORY: Hex = address(9, 0);
export const WETH: Hex = address(8, 0);
/** The base token is created by a factory, so that it has no deployer. */
const WETH_TOKEN: CastToken = { address: WETH, nature: 'factory', creator: address(2, 99) };
export const TOKENS: readonly CastToken[] = [
  ...NATURES.map((nature, i) => ({ address: address(1, i), nature, creator: address(2, i) })),
  WETH_TOKEN,
];
export const HOLDERS: readonly Hex[] = Array.from({ length: 5 }, (_, i) => address(3, i));
/** Funders of creators. */
const FUNDERS: readonly Hex[] = Array.from({ length: 2 }, (_, i) => address(5, i));
/** Pools of the first four tokens; the base token is on either side. */
export const POOLS: readonly CastPool[] = TOKENS.slice(0, 4).map((token, i) => ({
  address: address(4, i),
  token0: i % 2 === 0 ? token.address : WETH,
  token1: i % 2 === 0 ? WETH : token.address,
  maker: token.creator,
}));

/** Watchlist items of two key families; ids are never reused. */
export const watchOf = (id: number, index: number): WatchItem => ({
  family: `family${index % 2}`,
  id,
  type: index % 3 === 2 ? 'wallet' : 'token',
  address:
    (index % 3 === 2 ? TOKENS[index % TOKENS.length]?.creator : TOKENS[index % 5]?.address) ?? WETH,
  alerts: ['rug_pull', 'price_drop', 'liquidity_removed', 'new_token', 'ownership_change'],
  sensitivity: (['low', 'medium', 'high'] as const)[index % 3] ?? 'high',
  createdAtMs: 0,
});

type Log = NonNullable<FakeTransaction['logs']>[number];

/** An ERC-20 Transfer. */
export const transferLog = (token: Hex, from: Hex, to: Hex, value: bigint): Log => ({
  address: token,
  topics: [TOPIC.transfer, topic(from), topic(to)],
  data: data(value),
});
/** PairCreated of a Uniswap V2 factory. */
export const pairCreatedLog = (factory: Hex, pool: Hex, token0: Hex, token1: Hex): Log => ({
  address: factory,
  topics: [TOPIC.pairCreated, topic(token0), topic(token1)],
  data: data(pool, 1n),
});
/** Sync of a pool. */
export const syncLog = (pool: Hex, reserve0: bigint, reserve1: bigint): Log => ({
  address: pool,
  topics: [TOPIC.sync],
  data: data(reserve0, reserve1),
});
/** Mint of a pool. */
const mintLog = (pool: Hex, sender: Hex, amount0: bigint, amount1: bigint): Log => ({
  address: pool,
  topics: [TOPIC.mint, topic(sender)],
  data: data(amount0, amount1),
});
/** Burn of a pool. */
const burnLog = (pool: Hex, to: Hex, amount0: bigint, amount1: bigint): Log => ({
  address: pool,
  topics: [TOPIC.burn, topic(to), topic(to)],
  data: data(amount0, amount1),
});
/** Swap of a pool: `paidIn` of token 0 for `paidOut` of token 1. */
const swapLog = (pool: Hex, to: Hex, paidIn: bigint, paidOut: bigint): Log => ({
  address: pool,
  topics: [TOPIC.swap, topic(to), topic(to)],
  data: data(paidIn, 0n, 0n, paidOut),
});
/** OwnershipTransferred of a contract. */
export const ownershipLog = (contract: Hex, from: Hex, to: Hex): Log => ({
  address: contract,
  topics: [TOPIC.ownershipTransferred, topic(from), topic(to)],
  data: '0x',
});

/** First topics of markets beside Uniswap V2. */
const OTHER = {
  created: toEventSelector('PoolCreated(address,address,uint24,int24,address)'),
  sync: toEventSelector('Sync(uint256,uint256)'),
  solidlySwap: toEventSelector('Swap(address,address,uint256,uint256,uint256,uint256)'),
  burn: toEventSelector('Burn(address,address,uint256,uint256)'),
  swap: toEventSelector('Swap(address,address,int256,int256,uint160,uint128,int24)'),
  managerSwap: toEventSelector('Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)'),
};

/** Blocks of the chain before anything watches it: room for the deepest reorg. */
const BLOCKS_AT_START = 70;
/** Maximum depth of a reorg: the nodes' finality. */
export const REORG_DEPTH_MAX = 64;
/** Facts that make a block larger than one message. */
const LARGE_BLOCK_TRANSFERS = 530;
/** Seconds from block to block: with the longest interval, a pool passes all horizons in 100 blocks. */
const BLOCK_TIMES_S = [12, 120, 900];
const COIN = 10n ** 18n;

/** A chain with its first blocks; the same seed, the same chain. */
export const createProgramme = (random: Random) => {
  const chain = createFakeChain('simulated', random.pick(BLOCK_TIMES_S));
  /** Contracts created in the branch that ends with a block. */
  const created = new Map<Hex, ReadonlySet<Hex>>();
  let left: Hex[] = [];
  let highest = 0;

  const createdAt = (hash: Hex): ReadonlySet<Hex> => created.get(hash) ?? new Set();
  const add = (): void => {
    const parent = chain.head();
    const known = new Set(createdAt(parent.hash));
    const header = chain.mine(randomBlock(random, known, parent.number));
    created.set(header.hash, known);
    highest = Math.max(highest, header.number);
  };
  const depthMax = (): number => chain.head().number - Math.max(1, highest - REORG_DEPTH_MAX);
  const leave = (depth: number): void => {
    left = [chain.head().hash, ...left].slice(0, 4);
    chain.reorg(depth, []);
  };
  for (let i = 0; i < BLOCKS_AT_START; i += 1) add();

  return {
    chain,
    mine: add,
    /** Whether a contract exists in the branch that ends with a block. */
    exists: (contract: Hex, at: Hex): boolean => createdAt(at).has(contract),
    reorg: (): void => {
      const most = depthMax();
      if (most < 1) return;
      const depth = random.oneIn(3) ? 1 + random.below(most) : 1 + random.below(Math.min(3, most));
      leave(depth);
      // Mostly at least as long as before; sometimes shorter, to exceed the old one later.
      const blocks = random.oneIn(4) ? 1 + random.below(depth) : depth + random.below(3);
      for (let i = 0; i < blocks; i += 1) add();
    },
    /** Goes back to an abandoned branch, if finality allows it. */
    restore: (): void => {
      const tip = left[random.below(Math.max(1, left.length))];
      if (!tip) return;
      const fork = forkOf(chain, tip);
      if (chain.head().number - fork > depthMax()) return;
      left = [chain.head().hash, ...left.filter((hash) => hash !== tip)].slice(0, 4);
      chain.restore(tip);
      highest = Math.max(highest, chain.head().number);
    },
  };
};
/** A chain with activity of its own: blocks with random facts, and reorgs of every depth. */
export type Programme = ReturnType<typeof createProgramme>;

/** Height of the last common block of the canonical chain and the branch that ends with `tip`. */
const forkOf = (chain: FakeChain, tip: Hex): number => {
  let block = chain.byHash(tip);
  while (block && chain.block(block.header.number)?.header.hash !== block.header.hash) {
    block = chain.byHash(block.header.parentHash);
  }
  return block?.header.number ?? 0;
};

/** A random block. Adds its creations to `known`. */
const randomBlock = (random: Random, known: Set<Hex>, number: number): FakeBlock => {
  if (random.oneIn(3)) return [];
  const transactions: FakeTransaction[] = [];
  const count = 1 + random.below(3);
  for (let i = 0; i < count; i += 1) transactions.push(...randomTransaction(random, known));
  if (random.oneIn(2)) transactions.push(otherMarket(random));
  if (number > 3 && random.oneIn(150)) transactions.push(largeTransaction(random));
  return transactions;
};

/**
 * Worst-case logs of other markets: Uniswap V2 pools that log the events of Solidly and Uniswap V3, markets of tokens
 * that do not exist yet.
 */
const otherMarket = (random: Random): FakeTransaction => {
  const { address: pool, token0, token1 } = random.pick(POOLS);
  const from = random.pick(HOLDERS);
  const ends = [topic(from), topic(random.pick(HOLDERS))];
  const [one, two] = [coins(random, 300), coins(random, 300)];
  const log = random.pick<Log>([
    {
      address: FACTORY,
      topics: [OTHER.created, topic(token0), topic(token1), topic(3_000)],
      data: data(60n, pool),
    },
    { address: pool, topics: [OTHER.sync], data: data(one, two) },
    { address: pool, topics: [OTHER.solidlySwap, ...ends], data: data(one, 0n, 0n, two) },
    { address: pool, topics: [OTHER.burn, ...ends], data: data(one, two) },
    { address: pool, topics: [OTHER.swap, ...ends], data: data(one, two, 2n ** 96n, one, 0n) },
    {
      address: FACTORY,
      topics: [OTHER.managerSwap, topic(one), topic(from)],
      data: data(one, two, 2n ** 96n, one, 0n, 500n),
    },
  ]);
  return { from, to: pool, logs: [log] };
};

const coins = (random: Random, most: number): bigint => BigInt(1 + random.below(most)) * COIN;

const largeTransaction = (random: Random): FakeTransaction => {
  const { address, creator } = random.pick(TOKENS.filter(({ nature }) => nature === 'factory'));
  const logs = Array.from({ length: LARGE_BLOCK_TRANSFERS }, () =>
    transferLog(address, ZERO_ADDRESS, random.pick(HOLDERS), 1n),
  );
  return { from: creator, to: address, logs };
};

const randomTransaction = (random: Random, known: Set<Hex>): FakeTransaction[] => {
  const token = random.pick(TOKENS);
  const pool = random.pick(POOLS);
  const isThere = token.nature === 'factory' || known.has(token.address);
  if (!isThere) return deploy(random, known, token);
  switch (random.below(7)) {
    case 0:
      return [payment(random)];
    case 1:
      return [{ from: token.creator, to: token.address, logs: [changeOwner(random, token)] }];
    case 2:
    case 3:
      return [{ from: token.creator, to: token.address, logs: transfers(random, token) }];
    default:
      return [trade(random, known, pool)];
  }
};

/** Who pays a creator: its own funder, rarely another. */
const funding = (random: Random, token: CastToken): FakeTransaction => {
  const own = FUNDERS[TOKENS.indexOf(token) % FUNDERS.length] ?? token.creator;
  const from = random.oneIn(8) ? random.pick(FUNDERS) : own;
  return { from, to: token.creator, value: hexOf(random.pick([1n, 2n, 10n]) * COIN) };
};

/** Payments between wallets: proceeds to a funder, one funder paying another, anything else, and dust. */
const payment = (random: Random): FakeTransaction => {
  const token = random.pick(TOKENS);
  const value = hexOf(random.pick([16n, COIN, 20n * COIN]));
  switch (random.below(6)) {
    case 0:
      return { from: random.pick(FUNDERS), to: random.pick(FUNDERS), value };
    case 1:
      return { from: random.pick(HOLDERS), to: random.pick([...HOLDERS, ...FUNDERS]), value };
    case 2:
      return funding(random, token);
    default:
      return { from: token.creator, to: funding(random, token).from, value };
  }
};

const hexOf = (value: bigint): Hex => `0x${value.toString(16)}`;

/** A contract is created, mostly by a recently funded wallet: this is how rings are recognised. */
const deploy = (random: Random, known: Set<Hex>, token: CastToken): FakeTransaction[] => {
  known.add(token.address);
  const mint = transferLog(token.address, ZERO_ADDRESS, random.pick(HOLDERS), coins(random, 1000));
  const logs = random.oneIn(2) ? [mint] : [];
  const made = { from: token.creator, creates: token.address, logs };
  return random.oneIn(4) ? [made] : [funding(random, token), made];
};

const changeOwner = (random: Random, token: CastToken) =>
  ownershipLog(token.address, token.creator, random.oneIn(4) ? ZERO_ADDRESS : random.pick(HOLDERS));

const transfers = (random: Random, token: CastToken) =>
  Array.from({ length: 1 + random.below(3) }, () => {
    const from = random.oneIn(4) ? ZERO_ADDRESS : random.pick(HOLDERS);
    return transferLog(token.address, from, random.pick(HOLDERS), coins(random, 100));
  });

/** A change of a pool's reserves, with or without the log that explains it. */
const trade = (random: Random, known: Set<Hex>, pool: CastPool): FakeTransaction => {
  const { address, token0, token1, maker } = pool;
  const [reserve0, reserve1] = [coins(random, 200), coins(random, 200)];
  const logs = [syncLog(address, reserve0, reserve1)];
  if (!known.has(address)) {
    known.add(address);
    logs.unshift(pairCreatedLog(FACTORY, address, token0, token1));
    logs.push(mintLog(address, maker, reserve0, reserve1));
    return { from: maker, to: address, logs };
  }
  const [out0, out1] = [coins(random, 300), coins(random, 300)];
  const wallet = random.oneIn(3) ? maker : random.pick(HOLDERS);
  const kind = random.below(4);
  if (kind === 0) logs.push(burnLog(address, wallet, out0, out1));
  if (kind === 1) logs.push(swapLog(address, wallet, out0, out1));
  if (kind === 2) logs.push(mintLog(address, wallet, reserve0 / 2n, reserve1 / 2n));
  return { from: wallet, to: address, logs };
};
