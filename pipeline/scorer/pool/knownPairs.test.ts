import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { addressesOf } from '../../../shared/testing/evmData.ts';
import { createKnownPairs, type Pair } from './knownPairs.ts';

const [FACTORY, OTHER_FACTORY, TOKEN, BASE, POOL] = addressesOf(0xf, 0xe, 0xa, 0xb, 0xc);
const PAIR: Pair = { pool: POOL, tokens: [TOKEN, BASE] };
const REFUSED: RpcOutcome = { ok: false, code: 3, message: 'execution reverted' };
const SILENT: RpcOutcome = { ok: false, code: -32_000, message: 'header not found' };
const word = (value: Hex): RpcOutcome => ({
  ok: true,
  result: `0x${value.slice(2).padStart(64, '0')}`,
});

/** A node on which contracts answer, by their address. */
const setup = (answers: Readonly<Record<Hex, RpcOutcome>>, factories = new Set([FACTORY])) => {
  const asked: Hex[] = [];
  const batch = async (calls: readonly { readonly params: readonly unknown[] }[]) =>
    calls.map(({ params: [call] }) => {
      const { to } = call as { to: Hex };
      asked.push(to);
      return answers[to] ?? REFUSED;
    });
  return { asked, pairs: createKnownPairs({ batch }, factories) };
};

describe('createKnownPairs', () => {
  it('knows a pool that the factory it names lists, and asks once', async () => {
    const { asked, pairs } = setup({ [POOL]: word(FACTORY), [FACTORY]: word(POOL) });
    assert.deepEqual(await pairs.among([PAIR]), new Set([POOL]));
    assert.deepEqual(await pairs.among([PAIR]), new Set([POOL]));
    assert.deepEqual(asked, [POOL, FACTORY]);
  });

  for (const [what, answers] of [
    ['names a known factory that lists another', { [POOL]: word(FACTORY), [FACTORY]: word(TOKEN) }],
    [
      'names a factory that is not known',
      { [POOL]: word(OTHER_FACTORY), [OTHER_FACTORY]: word(POOL) },
    ],
    ['answers nothing', { [POOL]: { ok: true, result: '0x' } }],
    ['reverts', { [POOL]: REFUSED }],
  ] as [string, Record<Hex, RpcOutcome>][]) {
    it(`does not know a pool that ${what}, and does not ask again`, async () => {
      const { asked, pairs } = setup(answers);
      assert.deepEqual(await pairs.among([PAIR]), new Set());
      const { length } = asked;
      assert.deepEqual(await pairs.among([PAIR]), new Set());
      assert.equal(asked.length, length);
    });
  }

  it('asks again where the node had no answer', async () => {
    const { asked, pairs } = setup({ [POOL]: SILENT });
    assert.deepEqual(await pairs.among([PAIR]), new Set());
    assert.deepEqual(await pairs.among([PAIR]), new Set());
    assert.deepEqual(asked, [POOL, POOL]);
  });

  it('says so where the chain has no known factory, and asks nothing', async () => {
    const node = { batch: async () => assert.fail('nothing is asked') };
    assert.equal(await createKnownPairs(node, null).among([PAIR]), undefined);
  });
});
