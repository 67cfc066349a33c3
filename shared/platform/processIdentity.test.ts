import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { identify, isRunning, parseStat } from './processIdentity.ts';

describe('parseStat', () => {
  it('reads past a program name with spaces and brackets', () => {
    const rest = `S 41 ${Array.from({ length: 17 }, (_, index) => index).join(' ')} 987654 0 0`;
    assert.deepEqual(parseStat(`42 (a) (b c) ${rest}`), {
      state: 'S',
      parent: 41,
      startTime: '987654',
    });
  });

  it('refuses a text of another form', () => {
    assert.throws(() => parseStat('42 (node) S 1'), /unexpected format/);
  });
});

describe('isRunning', () => {
  it('distinguishes a process from a later one with the same number', () => {
    const own = identify(process.pid);
    assert.ok(own);
    assert.equal(isRunning(own), true);
    assert.equal(isRunning({ ...own, startTime: '1' }), false);
    assert.equal(isRunning({ ...own, bootId: 'another boot' }), false);
  });

  it('does not count a process that has ended', async () => {
    const child = spawn('sleep', ['60']);
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    assert.ok(identity);
    assert.equal(isRunning(identity), true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.equal(isRunning(identity), false);
  });
});
