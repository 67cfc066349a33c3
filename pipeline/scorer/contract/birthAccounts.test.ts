import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { topicOf } from '../../../shared/testing/evmData.ts';
import { readBirthAccounts } from './birthAccounts.ts';

const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const [MAKER, ARGUMENT, LOGGED] = [address('a'), address('b'), address('c')];
const wordOf = (account: Hex): string => topicOf(BigInt(account)).slice(2);
const CREATED: Hex = `0x${'7'.repeat(64)}`;
/** Code of no whole number of words, then a supply and an account. */
const INPUT = `0x6001600255${wordOf('0xf4240')}${wordOf(ARGUMENT)}`;

const nodeOf = (answers: Readonly<Record<string, unknown>>) => ({
  batch: async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> =>
    calls.map(({ method, params }) =>
      params[0] === CREATED
        ? { ok: true, result: answers[method] }
        : { ok: false, code: 3, message: '' },
    ),
});
const transaction = { from: MAKER, input: INPUT };
const receipt = { logs: [{ topics: [`0x${'d'.repeat(64)}`], data: `0x${wordOf(LOGGED)}` }] };
const node = nodeOf({
  eth_getTransactionByHash: transaction,
  eth_getTransactionReceipt: receipt,
});

describe('accounts that the creation of a token names', () => {
  it('are its sender, arguments of the constructor, and what its logs hold', async () => {
    const found = await readBirthAccounts(node, { createdTx: CREATED }, new Set());
    assert.deepEqual(found, [MAKER, ARGUMENT, LOGGED]);
  });

  it('are no news where they are known', async () => {
    const found = await readBirthAccounts(node, { createdTx: CREATED }, new Set([MAKER, LOGGED]));
    assert.deepEqual(found, [ARGUMENT]);
  });

  it('are none where the creation is not known, or the node does not show it', async () => {
    assert.deepEqual(await readBirthAccounts(node, { createdTx: ZERO_HASH }, new Set()), []);
    assert.deepEqual(await readBirthAccounts(node, {}, new Set()), []);
    const silent = nodeOf({
      eth_getTransactionByHash: null,
      eth_getTransactionReceipt: { logs: 1 },
    });
    assert.deepEqual(await readBirthAccounts(silent, { createdTx: CREATED }, new Set()), []);
  });

  it('are few, whatever its logs hold', async () => {
    const accounts = Array.from({ length: 300 }, (_, i) =>
      wordOf(`0x${(i + 2 ** 24).toString(16).repeat(5)}`),
    );
    const loud = nodeOf({
      eth_getTransactionByHash: transaction,
      eth_getTransactionReceipt: { logs: [{ topics: [], data: `0x${accounts.join('')}` }] },
    });
    const found = await readBirthAccounts(loud, { createdTx: CREATED }, new Set());
    assert.equal(found.length, 8);
  });
});
