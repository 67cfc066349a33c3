import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ZERO_HASH } from '../../shared/chain/block.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { createRegistry } from '../../shared/platform/metrics.ts';
import { createProgress } from './progress.ts';
import { createWatcherMetrics } from './watcherMetrics.ts';

const setup = (startBlock: number | undefined) => {
  const lines: string[] = [];
  const warn = (_: unknown, line = ''): number => lines.push(line);
  const logger = { ...silentLogger, info: () => undefined, debug: () => undefined, warn };
  const metrics = createWatcherMetrics(createRegistry());
  const clock = { now: () => 0, sleep: async () => undefined };
  const tracer = { span: () => undefined };
  const parts = { startBlock, clock, logger, metrics, tracer };
  return { lines, metrics, progress: createProgress(parts) };
};

describe('the progress of a watcher', () => {
  it('warns once of a START_BLOCK beyond the head', () => {
    const { lines, progress } = setup(700);
    for (const head of [500, 501]) progress.saw({ head, timestampS: 0, next: 700 });
    assert.deepEqual(lines, [
      'START_BLOCK 700 is beyond the head of the chain, block 500: nothing is read until the chain is there',
    ]);
  });

  it('does not warn of a node that is behind what was read', () => {
    for (const startBlock of [undefined, 100]) {
      const { lines, progress } = setup(startBlock);
      progress.saw({ head: 500, timestampS: 0, next: 700 });
      assert.deepEqual(lines, []);
    }
  });

  it('counts and tells the failed sales that are left out', async () => {
    const { lines, metrics, progress } = setup(0);
    const to = { number: 7, hash: ZERO_HASH, parentHash: ZERO_HASH, timestampS: 0 };
    const range = { from: 7, first: to, to, blocks: [], facts: 0, ignored: {} };
    progress.published({ ...range, failedSalesSkipped: 0 }, 7);
    progress.published({ ...range, failedSalesSkipped: 3 }, 7);
    assert.deepEqual(lines, [
      'more failed sales than are published of a block: the rest is left out',
    ]);
    const [{ value } = { value: 0 }] = (await metrics.failedSalesSkipped.get()).values;
    assert.equal(value, 3);
  });
});
