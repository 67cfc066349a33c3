import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { describe, it } from 'node:test';

const LOGGER = import.meta.resolve('./logger.ts');
const TIMEOUT_MS = 30_000;
/** Logs more than is kept of what cannot be written, then says so on standard error. */
const PROGRAM = `
  const { createLogger } = await import(${JSON.stringify(LOGGER)});
  const logger = createLogger('watcher', 'info');
  for (let line = 0; line < 2_000; line += 1) logger.info({ text: 'x'.repeat(1_000) }, 'line');
  console.error('goes on');`;

describe('logger', () => {
  it('ends no process when its lines cannot be written', () => {
    const fullDisk = openSync('/dev/full', 'w');
    const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', PROGRAM];
    const { status, stderr } = spawnSync(process.execPath, args, {
      stdio: ['ignore', fullDisk, 'pipe'],
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
    });
    closeSync(fullDisk);
    assert.deepEqual([status, stderr.trim()], [0, 'goes on']);
  });
});
