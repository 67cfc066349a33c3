import type { Hex } from '../../chain/block.ts';
import { TOPIC } from '../../decode/tokenEvent.ts';
import type { FakeTransaction } from '../fakeChain.ts';

type Log = NonNullable<FakeTransaction['logs']>[number];

const word = (value: bigint | Hex): string => BigInt(value).toString(16).padStart(64, '0');
const topic = (address: Hex): Hex => `0x${word(address)}`;
const data = (...values: readonly (bigint | Hex)[]): Hex => `0x${values.map(word).join('')}`;

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
export const mintLog = (pool: Hex, sender: Hex, amount0: bigint, amount1: bigint): Log => ({
  address: pool,
  topics: [TOPIC.mint, topic(sender)],
  data: data(amount0, amount1),
});
/** Burn of a pool. */
export const burnLog = (pool: Hex, to: Hex, amount0: bigint, amount1: bigint): Log => ({
  address: pool,
  topics: [TOPIC.burn, topic(to), topic(to)],
  data: data(amount0, amount1),
});
/** Swap of a pool: `paidIn` of token 0 for `paidOut` of token 1. */
export const swapLog = (pool: Hex, to: Hex, paidIn: bigint, paidOut: bigint): Log => ({
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
