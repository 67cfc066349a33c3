import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import { numberOf } from '../../../shared/decode/hex.ts';
import type { RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import type { Sighting } from './touched.ts';

/** Where a contract that no fact has shown came from. */
export interface DeploymentFinder {
  /**
   * The block that made the contract, as a sighting; the node's head where it has no old states or
   * shows no code. Undefined where the node does not name its head.
   */
  find(token: Hex): Promise<Sighting | undefined>;
}

/** Steps of the search: enough for 2^40 blocks. */
const STEPS_MAX = 40;

const quantity = (block: number): Hex => `0x${block.toString(16)}`;

const hasCode = (outcome: RpcOutcome | undefined): boolean | undefined =>
  outcome?.ok && typeof outcome.result === 'string' ? outcome.result.length > 2 : undefined;

const headerOf = (outcome: RpcOutcome | undefined) => {
  const block = outcome?.ok ? (outcome.result as Record<string, unknown> | null) : null;
  const { hash, timestamp } = block ?? {};
  return typeof hash === 'string' && /^0x[0-9a-f]{64}$/.test(hash)
    ? { hash: hash as Hex, timestampS: numberOf(timestamp) }
    : undefined;
};

/** Searches by halves for the first block in which the address has code. */
export const createDeploymentFinder = (node: ChainNode): DeploymentFinder => {
  const codeAt = async (token: Hex, block: number): Promise<boolean | undefined> => {
    const [code] = await node.batch([{ method: 'eth_getCode', params: [token, quantity(block)] }]);
    return hasCode(code);
  };
  const firstBlock = async (token: Hex, head: number): Promise<number> => {
    let low = 0;
    let high = head;
    for (let step = 0; low < high && step < STEPS_MAX; step += 1) {
      const middle = Math.floor((low + high) / 2);
      const there = await codeAt(token, middle);
      if (there === undefined) return head;
      if (there) high = middle;
      else low = middle + 1;
    }
    return high;
  };
  return {
    find: async (token) => {
      const [latest] = await node.batch([{ method: 'eth_blockNumber', params: [] }]);
      const head = latest?.ok ? numberOf(latest.result) : Number.NaN;
      if (Number.isNaN(head)) return undefined;
      // A node that shows no code may still answer calls: confirming the token decides, not this.
      const present = (await codeAt(token, head)) ?? false;
      const block = present ? await firstBlock(token, head) : head;
      const [header] = await node.batch([
        { method: 'eth_getBlockByNumber', params: [quantity(block), false] },
      ]);
      const place = headerOf(header);
      if (!place) return undefined;
      return {
        token,
        source: 'transfer',
        blockNumber: block,
        blockHash: place.hash,
        timestampS: place.timestampS,
        txHash: ZERO_HASH,
        creator: undefined,
      };
    },
  };
};
