import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileOf, textArgs } from '../testing/pipelineProcess.ts';

const TIMEOUT_MS = 30_000;
/** Logs more than is kept while the log cannot be written, then reports on standard error. */
const PROGRAM = `
  import { createLogger } from '${fileOf('shared/platform/logger.ts')}';
  const logger = createLogger('watcher', 'info');
  for (let line = 0; line < 2_000; line += 1) logger.info({ text: 'x'.repeat(1_000) }, 'line');
  console.error('goes on');`;

describe('logger', () => {
  it('ends no process when its lines cannot be written', () => {
    const fullDisk = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, textArgs(PROGRAM), {
      stdio: ['ignore', fullDisk, 'pipe'],
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
    });
    closeSync(fullDisk);
    assert.deepEqual([status, stderr.trim()], [0, 'goes on']);
  });
});
