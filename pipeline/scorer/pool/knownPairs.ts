import { LRUCache } from 'lru-cache';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { isReverted, type RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { addressInWord, encodeCall, selectorOf } from '../simulation/evmCode.ts';
import type { ChainNode } from '../token/tokenReader.ts';

/** A Uniswap V2 pool with its two tokens, in any order. */
export interface Pair {
  readonly pool: Hex;
  readonly tokens: readonly [Hex, Hex];
}

const FACTORY = selectorOf('factory()');
const GET_PAIR = selectorOf('getPair(address,address)');
const CALL_GAS = '0x186a0';
/** Pools cached: some 200 bytes each. */
const REMEMBERED_MAX = 100_000;

/** A call of a contract that returns an address. */
export const callOf = (to: Hex, data: Hex) => ({
  method: 'eth_call',
  params: [{ to, data, gas: CALL_GAS }, 'latest'],
});
/** The returned address, zero if a contract returns none; undefined if the node gave no answer. */
const answeredAddress = (outcome: RpcOutcome | undefined): Hex | undefined => {
  if (outcome?.ok) return addressInWord(outcome.result) ?? ZERO_ADDRESS;
  return outcome && isReverted(outcome) ? ZERO_ADDRESS : undefined;
};

/**
 * The factory that lists each pool, which must be the one that the pool names, or zero. Pools for which the node gave
 * no answer are missing.
 */
export const readFactories = async (
  node: ChainNode,
  pairs: readonly Pair[],
): Promise<Map<Hex, Hex>> => {
  const found = new Map<Hex, Hex>();
  if (pairs.length === 0) return found;
  const named = await node.batch(pairs.map(({ pool }) => callOf(pool, FACTORY)));
  const claims = pairs.flatMap((pair, i) => {
    const factory = answeredAddress(named[i]);
    if (factory === ZERO_ADDRESS) found.set(pair.pool, ZERO_ADDRESS);
    return factory && factory !== ZERO_ADDRESS ? [{ ...pair, factory }] : [];
  });
  if (claims.length === 0) return found;
  const lists = await node.batch(
    claims.map(({ factory, tokens: [one, other] }) =>
      callOf(factory, encodeCall(GET_PAIR, one, other)),
    ),
  );
  for (const [i, { pool, factory }] of claims.entries()) {
    const listed = answeredAddress(lists[i]);
    if (listed !== undefined) found.set(pool, listed === pool ? factory : ZERO_ADDRESS);
  }
  return found;
};

/** Asks each pool for its factory and a known factory for the pool, once: neither changes. */
export const createKnownPairs = (node: ChainNode, factories: ReadonlySet<Hex> | null) => {
  const isListed = new LRUCache<Hex, boolean>({ max: REMEMBERED_MAX });
  return {
    /** Those pools that a known factory lists; undefined if the chain has no known factories. */
    among: async (pairs: readonly Pair[]): Promise<ReadonlySet<Hex> | undefined> => {
      if (factories === null) return undefined;
      const unknown = pairs.filter(({ pool }) => !isListed.has(pool));
      // Pools without an answer may be asked again.
      for (const [pool, factory] of await readFactories(node, unknown)) {
        isListed.set(pool, factories.has(factory));
      }
      return new Set(pairs.map(({ pool }) => pool).filter((pool) => isListed.get(pool)));
    },
  };
};
/**
 * Knows which pools were created by a factory in the chain's profile. Any contract can answer like a pool and log
 * reserves that it does not hold; a known factory lists its own pools only.
 */
export type KnownPairs = ReturnType<typeof createKnownPairs>;
