import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { findMarked, PART_VARIABLE } from './processIdentity.ts';

describe('findMarked', () => {
  it('finds a marked process by its mark alone', async () => {
    const mark = `test-${process.pid}`;
    const child = spawn('sleep', ['60'], { env: { ...process.env, [PART_VARIABLE]: mark } });
    await once(child, 'spawn');
    assert.deepEqual(
      findMarked(mark).map(({ pid }) => pid),
      [child.pid],
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.deepEqual(findMarked(mark), []);
  });
});
