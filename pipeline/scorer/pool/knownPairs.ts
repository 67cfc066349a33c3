import { LRUCache } from 'lru-cache';
import type { Hex } from '../../../shared/chain/block.ts';
import type { RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { addressInWord, encodeCall, selectorOf } from '../simulation/evmCode.ts';
import type { ChainNode } from '../token/tokenReader.ts';

/** A pool of Uniswap V2 with its two tokens, in any order. */
export interface Pair {
  readonly pool: Hex;
  readonly tokens: readonly [Hex, Hex];
}

/**
 * Knows which pools a factory of the chain's profile made. Any contract can answer like a pool and log reserves that it does not hold;
 * a known factory lists its own pools only.
 */
export interface KnownPairs {
  /** Those of the pools that a known factory lists; undefined where the chain has no known factories. */
  among(pairs: readonly Pair[]): Promise<ReadonlySet<Hex> | undefined>;
}

const FACTORY = selectorOf('factory()');
const GET_PAIR = selectorOf('getPair(address,address)');
const CALL_GAS = '0x186a0';
/** Pools remembered: some 200 bytes each. */
const REMEMBERED_MAX = 100_000;

const callOf = (to: Hex, data: Hex) => ({
  method: 'eth_call',
  params: [{ to, data, gas: CALL_GAS }, 'latest'],
});
const answeredAddress = (outcome: RpcOutcome | undefined): Hex | undefined =>
  outcome?.ok ? addressInWord(outcome.result) : undefined;

/** Asks each pool for its factory and a known factory for the pool, once: neither changes. */
export const createKnownPairs = (
  node: ChainNode,
  factories: ReadonlySet<Hex> | null,
): KnownPairs => {
  const isListed = new LRUCache<Hex, boolean>({ max: REMEMBERED_MAX });
  const ask = async (pairs: readonly Pair[]): Promise<void> => {
    const outcomes = await node.batch(pairs.map(({ pool }) => callOf(pool, FACTORY)));
    const claims = pairs.flatMap((pair, i) => {
      const factory = answeredAddress(outcomes[i]);
      if (factory && factories?.has(factory)) return [{ ...pair, factory }];
      // What no answer came from may be asked again.
      if (outcomes[i]?.ok) isListed.set(pair.pool, false);
      return [];
    });
    if (claims.length === 0) return;
    const lists = await node.batch(
      claims.map(({ factory, tokens: [one, other] }) =>
        callOf(factory, encodeCall(GET_PAIR, one, other)),
      ),
    );
    for (const [i, { pool }] of claims.entries()) {
      if (lists[i]?.ok) isListed.set(pool, answeredAddress(lists[i]) === pool);
    }
  };
  return {
    among: async (pairs) => {
      if (factories === null) return undefined;
      const unknown = pairs.filter(({ pool }) => !isListed.has(pool));
      if (unknown.length > 0) await ask(unknown);
      return new Set(pairs.map(({ pool }) => pool).filter((pool) => isListed.get(pool)));
    },
  };
};
