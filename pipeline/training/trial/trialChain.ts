import assert from 'node:assert/strict';
import { keccak256, type PublicClient, testActions, toHex } from 'viem';
import { addressAtEnd } from '../../../shared/chain/address.ts';
import type { Hex } from '../../../shared/chain/block.ts';
import { slicesOf } from '../../../shared/platform/slicesOf.ts';
import { encodeCallData, selectorOf } from '../../scorer/simulation/evmCode.ts';

/** A transaction of an account that signs nothing. */
export interface TrialCall {
  readonly from: Hex;
  readonly to: Hex;
  readonly data: Hex;
  readonly value?: bigint;
}

const CALLS_PER_BLOCK = 50;
const GAS = 4_000_000n;
const BLOCK_GAS = 300_000_000n;
const BLOCK_SECONDS = 1;
const VIEW_GAS = 10_000_000n;
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

const createAnvil = (client: PublicClient) => client.extend(testActions({ mode: 'anvil' }));

/** What contracts answer, and the words that they do so by. */
const createState = (anvil: ReturnType<typeof createAnvil>) => {
  /** A number that a contract answers; undefined where it reverts. */
  const view = async (to: Hex, data: Hex): Promise<bigint | undefined> => {
    const answer = await anvil.call({ to, data, gas: VIEW_GAS }).catch(() => undefined);
    return answer?.data?.length === 66 ? BigInt(answer.data) : undefined;
  };
  return {
    view,
    views: (calls: readonly { to: Hex; data: Hex }[]) =>
      Promise.all(calls.map(({ to, data }) => view(to, data))),
    load: async (address: Hex, slot: Hex): Promise<bigint> =>
      BigInt((await anvil.getStorageAt({ address, slot })) ?? 0),
    store: (address: Hex, slot: Hex, value: bigint): Promise<void> =>
      anvil.setStorageAt({ address, index: slot, value: wordOf(value) }),
  };
};

/** Acts on an anvil: code, storage, and transactions without signatures. */
export const createTrialChain = (client: PublicClient) => {
  const anvil = createAnvil(client);
  const state = createState(anvil);
  const { view, load, store } = state;
  const nonces = new Map<Hex, number>();

  return {
    ...state,
    /** From now on blocks are mined when `send` has filled them, a second after the one before however long that took. */
    takeOver: async (): Promise<void> => {
      await anvil.setBlockGasLimit({ gasLimit: BLOCK_GAS });
      await anvil.setAutomine(false);
      await anvil.setBlockTimestampInterval({ interval: BLOCK_SECONDS });
    },
    handBack: async (): Promise<void> => {
      await anvil.removeBlockTimestampInterval();
      await anvil.setAutomine(true);
    },
    nextBlockAt: (seconds: number): Promise<void> =>
      anvil.setNextBlockTimestamp({ timestamp: BigInt(seconds) }),
    endow: (address: Hex): Promise<void> => anvil.setBalance({ address, value: PURSE_WEI }),
    place: async (
      address: Hex,
      { code, storage }: { code: Hex; storage: Readonly<Record<string, string>> },
    ): Promise<void> => {
      await anvil.setCode({ address, bytecode: code });
      await Promise.all(
        Object.entries(storage).map(([slot, value]) =>
          store(address, wordOf(BigInt(slot)), BigInt(value)),
        ),
      );
    },
    /** Writes to one of the words that a view reads, such that its answer is right. @returns whether there is one */
    makeAnswer: async (
      to: Hex,
      data: Hex,
      values: readonly bigint[],
      isRight: (answer: bigint) => boolean,
    ): Promise<boolean> => {
      const call = { to, data, gas: VIEW_GAS };
      const read = await anvil.createAccessList(call).catch(() => undefined);
      for (const { address, storageKeys } of read?.accessList ?? []) {
        for (const slot of storageKeys) {
          const before = await load(address, slot);
          for (const value of values) {
            await store(address, slot, value | before);
            const answer = await view(to, data);
            if (answer !== undefined && isRight(answer)) return true;
          }
          await store(address, slot, before);
        }
      }
      return false;
    },
    /** Mines transactions, those of an account in their order; those that revert are mined too. */
    send: async (calls: readonly TrialCall[]): Promise<void> => {
      for (const some of slicesOf(calls, CALLS_PER_BLOCK)) {
        const sent = some.map(({ value = 0n, ...call }) => {
          const nonce = nonces.get(call.from) ?? 0;
          nonces.set(call.from, nonce + 1);
          const costs = { gas: GAS, gasPrice: FEE_PER_GAS };
          return anvil.sendUnsignedTransaction({ ...call, ...costs, value, nonce });
        });
        await Promise.all(sent);
        await anvil.request({ method: 'evm_mine' } as never);
      }
    },
  };
};
export type TrialChain = ReturnType<typeof createTrialChain>;
