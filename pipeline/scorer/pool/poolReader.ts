import type { Hex } from '../../../shared/chain/block.ts';
import type { RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import type { Pool } from './poolStore.ts';

/** Asks contracts that send pool events which tokens they trade. */
export interface PoolReader {
  /** Those of the addresses that answer like a Uniswap V2 pool. */
  read(pools: readonly Hex[]): Promise<Pool[]>;
}

/** `token0()` and `token1()`: first four bytes of keccak-256 of the signature. */
const SELECTORS = ['0x0dfe1681', '0xd21220a7'] as const;
const CALL_GAS = '0x186a0';
const POOLS_PER_BATCH = 50;
/** An address in a 32-byte word: twelve zero bytes before it. */
const ADDRESS_WORD = /^0x0{24}([0-9a-fA-F]{40})$/;

const addressOf = (outcome: RpcOutcome | undefined): Hex | undefined => {
  const text = outcome?.ok && typeof outcome.result === 'string' ? outcome.result : '';
  const digits = ADDRESS_WORD.exec(text)?.[1];
  return digits === undefined ? undefined : `0x${digits.toLowerCase()}`;
};

export const createPoolReader = (node: ChainNode): PoolReader => {
  const readBatch = async (pools: readonly Hex[]): Promise<Pool[]> => {
    const calls = pools.flatMap((to) =>
      SELECTORS.map((data) => ({
        method: 'eth_call',
        params: [{ to, data, gas: CALL_GAS }, 'latest'],
      })),
    );
    const outcomes = await node.batch(calls);
    return pools.flatMap((pool, i) => {
      const token0 = addressOf(outcomes[2 * i]);
      const token1 = addressOf(outcomes[2 * i + 1]);
      return token0 && token1 && token0 !== token1 ? [{ pool, token0, token1 }] : [];
    });
  };
  return {
    read: async (pools) => {
      const found: Pool[] = [];
      for (let at = 0; at < pools.length; at += POOLS_PER_BATCH) {
        found.push(...(await readBatch(pools.slice(at, at + POOLS_PER_BATCH))));
      }
      return found;
    },
  };
};
