import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pLimit from 'p-limit';
import type { Hex } from '../../shared/chain/block.ts';
import type { Database } from '../../shared/platform/clickhouse.ts';
import { addressOf } from '../../shared/testing/evmData.ts';
import { createFeatureFeed } from './featureFeed.ts';

const [OLD, NEW] = [addressOf(1), addressOf(2)];

/**
 * A feature feed beside a token feed; `failures`: errors of the next reads; `isLate`: reads take longer than the time
 * limit.
 */
const setup = ({ failures = [] as boolean[], isLate = false } = {}) => {
  const calls: unknown[] = [];
  const applied = new Map<Hex, number>([[OLD, 9]]);
  const call = async (method: string, argument: unknown) => {
    calls.push([method, argument]);
  };
  const query = async (_sql: string, { features }: Record<string, unknown>) => {
    if (failures.shift()) throw new Error('no answer within 10000 ms');
    if (isLate) await new Promise(setImmediate);
    const [name = ''] = features as string[];
    // A later row of it is applied before the values read are filled in.
    applied.set(NEW, 9);
    return [OLD, NEW].map((address) => ({ address, seq: 8, features: { [name]: 1 } }));
  };
  // The wait ends at once while a read is late; otherwise it never ends.
  const sleep = async () => (isLate ? undefined : new Promise<void>(() => undefined));
  const clock = { sleep };
  const ports = { database: { query } as unknown as Database, chainId: 1, clock };
  const feed = createFeatureFeed(ports, { call } as never, { inTurn: pLimit(1), applied });
  return { calls, know: (...names: string[]) => feed.know(names, 2), held: feed.held };
};

const filled = (name: string) => [
  ['hold', [name]],
  ['fill', { names: [name], tokens: [{ token: OLD, features: { [name]: 1 } }] }],
];

describe('the feed of features', () => {
  it('reads each once, for all who ask, and nothing that was followed meanwhile', async () => {
    const { calls, know, held } = setup();
    await Promise.all([know('ageS'), know('ageS')]);
    await know('ageS', 'buyCount');
    assert.deepEqual(calls, [...filled('ageS'), ...filled('buyCount')]);
    assert.deepEqual(held(), ['ageS', 'buyCount']);
  });

  it('reads again what it could not read', async () => {
    const { calls, know } = setup({ failures: [true] });
    await assert.rejects(know('ageS'), /no answer/);
    await know('ageS');
    assert.deepEqual(calls, [filled('ageS')[0], ...filled('ageS')]);
  });

  it('goes on when nobody waits any more', async () => {
    const { calls, know } = setup({ isLate: true });
    await assert.rejects(know('ageS'), /still being read/);
    while (calls.length < 2) await new Promise(setImmediate);
    assert.deepEqual(calls, filled('ageS'));
  });
});
