import assert from 'node:assert/strict';
import type { Hex, PublicClient } from 'viem';
import { createBatchGate } from './batchGate.ts';
import type { createDevnetAccounts, DevnetCall } from './devnetAccounts.ts';
import { type DevnetTransaction, waitForReceipt } from './waitForReceipt.ts';

type Dependencies = {
  publicClient: PublicClient;
  accounts: Pick<ReturnType<typeof createDevnetAccounts>, 'address' | 'sign'>;
  request: (method: string, params: unknown[]) => Promise<unknown>;
};

/** Sends transactions: each into a block of its own, or several into one as a batch. */
export const createSender = ({ publicClient, accounts, request }: Dependencies) => {
  let gate: ReturnType<typeof createBatchGate> | undefined;
  let submissions: Promise<unknown> = Promise.resolve();

  const submit = async (calls: readonly DevnetCall[]): Promise<Hex[]> => {
    const hashes: Hex[] = [];
    for (const call of calls) {
      const address = accounts.address(call.from);
      const nonce = await publicClient.getTransactionCount({ address, blockTag: 'pending' });
      const serializedTransaction = await accounts.sign(call, nonce);
      hashes.push(await publicClient.sendRawTransaction({ serializedTransaction }));
    }
    return hashes;
  };

  return {
    /** Sends the calls in order and waits until all are mined. */
    transact: async (calls: readonly DevnetCall[]): Promise<DevnetTransaction[]> => {
      // One submission at a time: two of one account would ask for the same nonce.
      const submission = submissions.then(async () => submit(calls));
      submissions = submission.catch(() => undefined);
      const hashes = await submission;
      await gate?.arrive();
      return Promise.all(hashes.map(async (hash) => waitForReceipt(publicClient, hash)));
    },
    /**
     * Mines the transactions of several verbs in one block, in the order they were started. A verb
     * of a batch must send all its transactions at once.
     */
    batch: async <T>(start: () => Promise<T>[]): Promise<T[]> => {
      assert(gate === undefined, 'batches do not nest');
      await request('evm_setAutomine', [false]);
      const opened = createBatchGate();
      gate = opened;
      try {
        const parts = start();
        await opened.allArrived(parts);
        // A request of its own: inside one JSON-RPC batch it may overtake the transactions.
        await request('evm_mine', []);
        opened.open();
        return await Promise.all(parts);
      } finally {
        gate = undefined;
        opened.open();
        await request('evm_setAutomine', [true]);
      }
    },
  };
};
