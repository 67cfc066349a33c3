import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
  return { lines, progress: createProgress({ startBlock, clock, logger, metrics, tracer }) };
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
});
