import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { canListen } from '../../shared/testing/services.ts';
import { PORTS_PER_STACK } from './portLayout.ts';
import { type CommandResult, runCommand } from './runCommand.ts';

const COMMAND_TIMEOUT_MS = 120_000;
const PROGRAM = fileURLToPath(import.meta.resolve('./stack.ts'));
const SERVERS = ['nats', 'redis', 'clickhouse', 'devnet'];

/** Whatever the developer's own variables and .env say. */
const NOTHING_GIVEN = {
  RPC_URL: '',
  CHAIN_ID: '',
  NATS_URL: '',
  REDIS_URL: '',
  CLICKHOUSE_URL: '',
};

type TestStack = {
  stateDir: string;
  portBase: number;
  /** Takes the stack down and removes its folder. */
  close: () => Promise<void>;
  run: (command: string, env?: Record<string, string>) => Promise<CommandResult>;
};

/** Runs of ports above those that other tests choose theirs from, which may run at the same time. */
const PORT_RUNS = Array.from({ length: 76 }, (_, run) => 19_000 + run * PORTS_PER_STACK);
const runsTaken = new Set<number>();

/** A run of free ports that no other stack of these tests has. */
const freePortBase = async (): Promise<number> => {
  const start = Math.floor(Math.random() * PORT_RUNS.length);
  for (const base of [...PORT_RUNS.slice(start), ...PORT_RUNS.slice(0, start)]) {
    if (runsTaken.has(base)) continue;
    runsTaken.add(base);
    const ports = Array.from({ length: PORTS_PER_STACK }, (_, index) => base + index);
    if ((await Promise.all(ports.map(canListen))).every(Boolean)) return base;
  }
  throw new Error('no run of free ports');
};

const createTestStack = async (): Promise<TestStack> => {
  const stateDir = mkdtempSync(join(tmpdir(), 'tsd-stack-'));
  const portBase = await freePortBase();
  // Ends the stack when its input does, which it also does when this process is killed.
  const argv = [process.execPath, '--import', import.meta.resolve('tsx'), PROGRAM, 'down'];
  const janitor = spawn('sh', ['-c', 'read -r _; "$@"; rm -r "$STATE_DIR"', 'sh', ...argv], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
    env: { ...process.env, STATE_DIR: stateDir },
  });
  return {
    stateDir,
    portBase,
    close: async () => {
      janitor.stdin.end();
      await once(janitor, 'exit');
    },
    run: (command, env = {}) =>
      runCommand(
        process.execPath,
        ['--import', import.meta.resolve('tsx'), PROGRAM, ...command.split(' ')],
        {
          timeoutMs: COMMAND_TIMEOUT_MS,
          env: {
            ...process.env,
            ...NOTHING_GIVEN,
            STATE_DIR: stateDir,
            PORT_BASE: String(portBase),
            ...env,
          },
        },
      ),
  };
};

const succeed = async (result: Promise<CommandResult>): Promise<string> => {
  const { code, stdout, stderr } = await result;
  assert.equal(code, 0, stdout + stderr);
  return stdout;
};

const pidOf = (stack: TestStack, part: string): number =>
  (JSON.parse(readFileSync(join(stack.stateDir, `pids/${part}.json`), 'utf8')) as { pid: number })
    .pid;

describe('stack', () => {
  let stacks: TestStack[];
  const open = async (): Promise<TestStack> => {
    const stack = await createTestStack();
    stacks.push(stack);
    return stack;
  };
  beforeEach(() => {
    stacks = [];
  });
  afterEach(async () => {
    await Promise.all(stacks.map((stack) => stack.close()));
  });

  it('two stacks run side by side; up keeps what runs and starts what died; down ends only its own', async () => {
    const [one, two] = [await open(), await open()];
    await Promise.all([succeed(one.run('up servers')), succeed(two.run('up servers'))]);
    const before = SERVERS.map((part) => pidOf(one, part));

    await succeed(one.run('up servers'));
    assert.deepEqual(
      SERVERS.map((part) => pidOf(one, part)),
      before,
    );

    process.kill(pidOf(one, 'redis'), 'SIGKILL');
    await succeed(one.run('up servers'));
    assert.notEqual(pidOf(one, 'redis'), before[1]);
    assert.equal(pidOf(one, 'nats'), before[0]);

    const status = await succeed(one.run('status'));
    for (const part of SERVERS) assert.match(status, new RegExp(`${part} +running .* ok `));

    const sql = one.run('sql', { Q: 'SELECT 1, currentUser(), currentDatabase()' });
    assert.equal(await succeed(sql), '1\tanalyst\ttsd\n');
    const wrong = await one.run('sql', { Q: 'DROP DATABASE tsd' });
    assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
    assert.match(wrong.stderr, /Not enough privileges/);

    const stopped = await succeed(one.run('down'));
    for (const part of SERVERS) assert.match(stopped, new RegExp(part));
    assert.match(await succeed(one.run('down')), /nothing runs/);
    assert.match(await succeed(two.run('status')), /nats +running .* ok /);
  });

  it('names the part that failed and shows its log', async () => {
    const stack = await open();
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(stack.portBase + 1, '127.0.0.1', resolve));
    const result = await stack.run('up servers');
    await new Promise((resolve) => squatter.close(resolve));
    assert.equal(result.code, 1);
    assert.match(result.stderr, /^nats needs port \d+, which another program uses/);
  });

  it('reaches external servers and refuses one that does not answer', async () => {
    const stack = await open();
    const result = await stack.run('up servers', {
      NATS_URL: `nats://127.0.0.1:${stack.portBase + 1}`,
      RPC_URL: 'http://127.0.0.1:1',
      CHAIN_ID: '1',
    });
    assert.equal(result.code, 1);
    assert.match(result.stderr, /nats does not answer at the URL given/);
  });
});
