import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { isRunning } from '../../shared/platform/processIdentity.ts';
import { createProcesses, findMarked, PART_VARIABLE, type Processes } from './processes.ts';

const SLEEP = { command: 'sleep', args: ['60'], env: {} };
const GRACE_MS = 200;

describe('processes', () => {
  let stateDir: string;
  let processes: Processes;
  const pidFile = (): string => join(stateDir, 'pids/part.json');

  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'tsd-processes-'));
    processes = createProcesses(stateDir);
  });
  afterEach(async () => {
    await processes.stop('part', 0);
    rmSync(stateDir, { recursive: true });
  });

  it('finds what it started and stops it', async () => {
    const record = processes.start('part', SLEEP, 'print');
    assert.deepEqual(processes.find('part'), record);
    assert.deepEqual(processes.known(), ['part']);
    assert.equal(await processes.stop('part', GRACE_MS), true);
    assert.equal(processes.find('part'), undefined);
    assert.equal(existsSync(pidFile()), false);
    assert.equal(await processes.stop('part', GRACE_MS), false);
  });

  it('kills what does not end in time', async () => {
    const script = 'trap "" TERM; echo up; while :; do sleep 0.01; done';
    processes.start('part', { command: 'sh', args: ['-c', script], env: {} }, 'print');
    while (processes.lastLines('part', 1).length === 0) await new Promise(setImmediate);
    assert.equal(await processes.stop('part', GRACE_MS), true);
    assert.equal(processes.find('part'), undefined);
  });

  it('forgets a process whose number was given to another', async () => {
    const record = processes.start('part', SLEEP, 'print');
    process.kill(record.pid, 'SIGKILL');
    while (isRunning(record)) await new Promise(setImmediate);
    const recycled = { ...record, pid: process.pid };
    writeFileSync(pidFile(), JSON.stringify(recycled));
    assert.equal(processes.find('part'), undefined);
  });

  it('leaves the pid file of a process that ended: another may just have been started', async () => {
    const record = processes.start('part', SLEEP, 'print');
    process.kill(record.pid, 'SIGKILL');
    while (isRunning(record)) await new Promise(setImmediate);
    assert.equal(processes.find('part'), undefined);
    assert.equal(existsSync(pidFile()), true);
    assert.equal(await processes.stop('part', GRACE_MS), false);
    assert.equal(existsSync(pidFile()), false);
  });

  for (const [what, damage] of [
    ['missing', () => rmSync(pidFile())],
    ['cut off', () => writeFileSync(pidFile(), '{"pid":')],
  ] as const) {
    it(`finds its process again when the pid file is ${what}`, () => {
      const { pid } = processes.start('part', SLEEP, 'print');
      damage();
      assert.equal(processes.recorded('part'), undefined);
      assert.equal(processes.find('part')?.pid, pid);
      assert.equal(processes.adopt('part')?.pid, pid);
      assert.equal((JSON.parse(readFileSync(pidFile(), 'utf8')) as { pid: number }).pid, pid);
    });
  }

  it('keeps the last lines of the log', async () => {
    const launch = { command: 'sh', args: ['-c', 'echo one; echo two; echo three >&2'], env: {} };
    processes.start('part', launch, 'print');
    while (processes.lastLines('part', 9).length < 3) await new Promise(setImmediate);
    assert.deepEqual(processes.lastLines('part', 2), ['two', 'three']);
  });

  it('says which part could not be started', () => {
    const launch = { command: '/nowhere/program', args: [], env: {} };
    assert.throws(() => processes.start('part', launch, 'print'), /part: .* could not be started/);
  });
});

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
