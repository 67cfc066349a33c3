import assert from 'node:assert/strict';
import { keccak256, toHex } from 'viem';
import { z } from 'zod';
import { addressAtEnd } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import type { RpcCall } from '../../../shared/platform/rpc/jsonRpc.ts';
import { slicesOf } from '../../../shared/platform/slicesOf.ts';
import { encodeCallData, selectorOf } from '../../scorer/simulation/evmCode.ts';
import type { ChainNode } from '../../scorer/token/tokenReader.ts';

/** A transaction from an account without a signature. */
export interface TrialCall {
  readonly from: Hex;
  readonly to: Hex;
  readonly data: Hex;
  readonly value?: bigint;
}

const CALLS_PER_BATCH = 50;
const GAS = 4_000_000n;
const BLOCK_GAS = 300_000_000n;
const BLOCK_SECONDS = 1;
const VIEW_GAS = toHex(10_000_000);
const FEE_PER_GAS = 100_000_000_000n;
const PURSE_WEI = 10n ** 24n;

/** An address without a known key. */
export const accountOf = (name: string): Hex => addressAtEnd(keccak256(toHex(name)));

export const callData = (signature: string, values: readonly unknown[] = []): Hex => {
  const types = signature.slice(signature.indexOf('(') + 1, -1);
  const data = encodeCallData(selectorOf(signature), types === '' ? [] : types.split(','), values);
  assert(data, signature);
  return data;
};

export const wordOf = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;

const accessSchema = z.object({
  accessList: z.array(z.object({ address: z.string(), storageKeys: z.array(z.string()) })),
});
const wordSchema = z.string().regex(/^0x[0-9a-f]{1,64}$/i);

/** Anvil calls that return plain values. */
const createCalls = (node: ChainNode) => {
  const ask = async (calls: readonly RpcCall[]): Promise<unknown[]> => {
    const results: unknown[] = [];
    for (const batch of slicesOf(calls, CALLS_PER_BATCH)) {
      const outcomes = await node.batch(batch);
      results.push(...outcomes.map((one) => (one.ok ? one.result : undefined)));
    }
    return results;
  };
  const one = async (method: string, ...params: unknown[]): Promise<unknown> =>
    (await ask([{ method, params }]))[0];

  /** Numbers that contracts return; undefined if they revert. */
  const views = async (
    calls: readonly { to: Hex; data: Hex }[],
  ): Promise<(bigint | undefined)[]> => {
    const answers = await ask(
      calls.map((call) => ({ method: 'eth_call', params: [{ ...call, gas: VIEW_GAS }, 'latest'] })),
    );
    return answers.map((answer) => {
      const word = wordSchema.safeParse(answer);
      return word.success && word.data.length === 66 ? BigInt(word.data) : undefined;
    });
  };
  const view = async (to: Hex, data: Hex): Promise<bigint | undefined> =>
    (await views([{ to, data }]))[0];

  const load = async (address: Hex, slot: Hex): Promise<bigint> =>
    BigInt(wordSchema.parse(await one('eth_getStorageAt', address, slot, 'latest')));
  const store = (address: Hex, slot: Hex, value: bigint): Promise<unknown> =>
    one('anvil_setStorageAt', address, slot, wordOf(value));

  return { ask, one, views, view, load, store };
};

const createMining = ({ one }: ReturnType<typeof createCalls>) => ({
  /**
   * From now on `send` mines blocks, each one second after the previous one whatever the real time, and any account
   * may send.
   */
  takeOver: async (): Promise<void> => {
    await one('anvil_autoImpersonateAccount', true);
    await one('evm_setBlockGasLimit', toHex(BLOCK_GAS));
    await one('evm_setAutomine', false);
    await one('anvil_setBlockTimestampInterval', BLOCK_SECONDS);
  },
  handBack: async (): Promise<void> => {
    await one('anvil_removeBlockTimestampInterval');
    await one('evm_setAutomine', true);
  },
  nextBlockAt: (seconds: number): Promise<unknown> => one('evm_setNextBlockTimestamp', seconds),
});

export type TrialChain = ReturnType<typeof createTrialChain>;

/** Controls an anvil node by plain JSON-RPC: code, storage, and transactions without signatures. */
export const createTrialChain = (node: ChainNode) => {
  const rpc = createCalls(node);
  const { ask, one, views, view, load, store } = rpc;
  const nonces = new Map<Hex, number>();

  return {
    view,
    views,
    load,
    store,
    ...createMining(rpc),
    endow: (address: Hex): Promise<unknown> => one('anvil_setBalance', address, toHex(PURSE_WEI)),
    place: async (
      address: Hex,
      { code, storage }: { code: Hex; storage: Readonly<Record<string, string>> },
    ): Promise<void> => {
      await one('anvil_setCode', address, code);
      await ask(
        Object.entries(storage).map(([slot, value]) => ({
          method: 'anvil_setStorageAt',
          params: [address, wordOf(BigInt(slot)), wordOf(BigInt(value))],
        })),
      );
    },
    /**
     * Writes to one of the words that a view reads, so that it returns the wanted value. @returns whether such a word
     * exists
     */
    makeAnswer: async (
      to: Hex,
      data: Hex,
      values: readonly bigint[],
      isRight: (answer: bigint) => boolean,
    ): Promise<boolean> => {
      const call = { to, data, gas: VIEW_GAS };
      const list = accessSchema.safeParse(await one('eth_createAccessList', call, 'latest'));
      for (const { address, storageKeys } of list.data?.accessList ?? []) {
        for (const slot of storageKeys as Hex[]) {
          const before = await load(address as Hex, slot);
          for (const value of values) {
            await store(address as Hex, slot, value | before);
            const answer = await view(to, data);
            if (answer !== undefined && isRight(answer)) return true;
          }
          await store(address as Hex, slot, before);
        }
      }
      return false;
    },
    /** Mines transactions in order; those that revert are mined too. */
    send: async (calls: readonly TrialCall[]): Promise<void> => {
      const transactions = calls.map(({ from, to, data, value = 0n }) => {
        const nonce = nonces.get(from) ?? 0;
        nonces.set(from, nonce + 1);
        const costs = { gas: toHex(GAS), gasPrice: toHex(FEE_PER_GAS) };
        const params = [{ from, to, data, value: toHex(value), nonce: toHex(nonce), ...costs }];
        return { method: 'eth_sendTransaction', params };
      });
      for (const batch of slicesOf(transactions, CALLS_PER_BATCH)) {
        await ask(batch);
        await one('evm_mine');
      }
    },
  };
};
