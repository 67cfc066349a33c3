import assert from 'node:assert/strict';
import type { DevnetNode } from './createDevnetNode.ts';
import type { DevnetCall } from './devnetAccounts.ts';
import type { DevnetTransaction } from './waitForReceipt.ts';

/** Sends the calls in order and answers the last; throws when one of them reverts. */
export const mustSucceed = async (
  node: Pick<DevnetNode, 'transact'>,
  calls: readonly DevnetCall[],
): Promise<DevnetTransaction> => {
  const transactions = await node.transact(calls);
  for (const { status, hash } of transactions) {
    assert.equal(status, 'success', `transaction ${hash} reverted`);
  }
  return lastOf(transactions);
};

/** The last of the transactions one verb made: the one the verb is about. */
export const lastOf = (transactions: readonly DevnetTransaction[]): DevnetTransaction => {
  const last = transactions.at(-1);
  assert(last !== undefined, 'a verb makes at least one transaction');
  return last;
};
