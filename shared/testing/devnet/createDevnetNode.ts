import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  type Address,
  createPublicClient,
  defineChain,
  type Hex,
  http,
  type PublicClient,
  toHex,
} from 'viem';
import { createSender } from './createSender.ts';
import { createDevnetAccounts, type DevnetCall } from './devnetAccounts.ts';

/** A transaction of the new branch: it goes into the `offset`-th replaced block, counted from 0. */
export type ReorgCall = DevnetCall & { offset: number };

type Request = (method: string, params: unknown[]) => Promise<unknown>;

export type DevnetNode = ReturnType<typeof createDevnetNode>;

const REQUEST_TIMEOUT_MS = 60_000;
const CHAIN_ID = 31_337;
const ADDRESS_BYTES = 20;

/**
 * Replaces blocks by others. A new miner sees to it that they are others: anvil may mine an empty
 * block again as it was, with the same hash, and a reorg of 80 blocks would be one of four.
 */
const replaceBlocks = async (
  { publicClient, request }: { publicClient: PublicClient; request: Request },
  depth: number,
  signed: readonly [Hex, number][],
): Promise<void> => {
  const head = await publicClient.getBlockNumber({ cacheTime: 0 });
  const firstHash = async (): Promise<Hex> =>
    (await publicClient.getBlock({ blockNumber: head - BigInt(depth - 1) })).hash;
  const replaced = await firstHash();
  await request('anvil_setCoinbase', [toHex(randomBytes(ADDRESS_BYTES))]);
  await request('anvil_reorg', [depth, signed]);
  assert.notEqual(await firstHash(), replaced, 'a reorg is as deep as it was asked to be');
};

/** Drives one anvil by its JSON-RPC: signed transactions, blocks on demand, time, real reorgs. */
export const createDevnetNode = ({
  url,
  chainId = CHAIN_ID,
}: {
  url: string;
  chainId?: number;
}) => {
  const chain = defineChain({
    id: chainId,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  const transport = http(url, { timeout: REQUEST_TIMEOUT_MS, retryCount: 0 });
  const publicClient: PublicClient = createPublicClient({ chain, transport });
  const accounts = createDevnetAccounts({ chain, transport });

  // The methods of anvil are not among those viem knows the types of.
  const request: Request = async (method, params) =>
    publicClient.transport.request({ method, params });

  const signAll = async (calls: readonly ReorgCall[], forkBlock: bigint) => {
    const nonces = new Map<number, number>();
    const pairs: [Hex, number][] = [];
    for (const call of calls) {
      const address = accounts.address(call.from);
      const atFork = { address, blockNumber: forkBlock };
      const nonce = nonces.get(call.from) ?? (await publicClient.getTransactionCount(atFork));
      nonces.set(call.from, nonce + 1);
      pairs.push([await accounts.sign(call, nonce), call.offset]);
    }
    return pairs;
  };

  return {
    publicClient,
    address: accounts.address,
    wallet: accounts.wallet,
    ...createSender({ publicClient, accounts, request }),
    /** Replaces the last `depth` blocks, all of them, by others; their transactions are lost unless given again. */
    reorg: async (depth: number, calls: readonly ReorgCall[] = []): Promise<void> => {
      assert(depth >= 1, 'a reorg replaces at least one block');
      const forkBlock = (await publicClient.getBlockNumber({ cacheTime: 0 })) - BigInt(depth);
      assert(forkBlock >= 0n, 'a reorg cannot replace the genesis block');
      const inside = calls.every(({ offset }) => offset >= 0 && offset < depth);
      assert(inside, 'an offset must lie inside the new branch');
      await replaceBlocks({ publicClient, request }, depth, await signAll(calls, forkBlock));
    },
    /** Mines `blocks` empty blocks, `intervalSeconds` apart. */
    mine: async (blocks: number, intervalSeconds = 12): Promise<void> => {
      assert(blocks >= 1, 'mine at least one block');
      await request('anvil_mine', [toHex(blocks), toHex(intervalSeconds)]);
    },
    /** Gives the next block this time, seconds since 1970; later blocks go on from there. */
    setNextBlockTimestamp: async (seconds: number): Promise<void> => {
      await request('evm_setNextBlockTimestamp', [seconds]);
    },
    /** Moves the clock of the chain forward; the next block shows it. */
    increaseTime: async (seconds: number): Promise<void> => {
      await request('evm_increaseTime', [seconds]);
    },
    /** Sets the ETH balance of an account out of nothing: no transaction, no log. */
    setBalance: async (of: Address, wei: bigint): Promise<void> => {
      await request('anvil_setBalance', [of, toHex(wei)]);
    },
  };
};
