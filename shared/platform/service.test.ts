import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileOf, textArgs } from '../testing/pipelineProcess.ts';
import { freePort } from '../testing/services.ts';
import { readiness } from './service.ts';

describe('readiness', () => {
  it('is that of every dependency by itself', async () => {
    const states = await readiness({
      up: async () => true,
      down: async () => false,
      failing: async () => Promise.reject(new Error('away')),
    });
    assert.deepEqual(states, { up: 'up', down: 'down', failing: 'down' });
  });

  it('does not wait for a dependency that hangs', { timeout: 60_000 }, async () => {
    const states = await readiness({ hanging: () => new Promise(() => undefined) });
    assert.deepEqual(states, { hanging: 'down' });
  });
});

describe('a service', () => {
  let child: ChildProcess | undefined;
  let output = '';
  afterEach(() => child?.kill('SIGKILL'));

  /** Starts a process whose work is the body of `run(signal)`; its health server listens on `port`. */
  const start = (body: string, port = 0): ChildProcess => {
    const program = `
      import { runService } from '${fileOf('shared/platform/service.ts')}';
      import { createLogger } from '${fileOf('shared/platform/logger.ts')}';
      import { FatalError, RetryableError } from '${fileOf('shared/platform/errors.ts')}';
      void [FatalError, RetryableError];
      let isUp = false;
      const forever = setInterval(() => { isUp = true; }, 300);
      await runService({
        logger: createLogger('test', 'info'),
        healthPort: ${port},
        checks: { part: async () => isUp },
        metrics: {
          contentType: 'text/plain; version=0.0.4',
          metrics: async () => { if (isUp) return 'up 1'; throw new Error('not yet'); },
        },
        run: async (signal) => { ${body} },
      });`;
    output = '';
    const started = spawn(process.execPath, textArgs(program), {
      env: { ...process.env, NODE_V8_COVERAGE: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.stdout.on('data', (part: Buffer) => {
      output += part.toString();
    });
    child = started;
    return started;
  };
  const exitCode = async (started: ChildProcess): Promise<unknown> =>
    (await once(started, 'exit'))[0];
  const untilSaid = async (text: string): Promise<void> => {
    while (!output.includes(text)) await sleep(10);
  };
  const WAITS = `console.log('working'); await new Promise((r) => signal.addEventListener('abort', r));`;

  it('drains on SIGTERM and exits 0', { timeout: 120_000 }, async () => {
    const started = start(`${WAITS} console.log('drained');`);
    await untilSaid('working');
    started.kill('SIGTERM');
    assert.equal(await exitCode(started), 0);
    assert.match(output, /drained/);
  });

  it('ends at once on a second signal', { timeout: 120_000 }, async () => {
    const started = start(`${WAITS} await new Promise(() => undefined);`);
    await untilSaid('working');
    started.kill('SIGINT');
    await untilSaid('draining');
    started.kill('SIGINT');
    assert.equal(await exitCode(started), 1);
  });

  const failures: [string, number, string][] = [
    [`new RetryableError('NATS is away')`, 75, 'a dependency is away: NATS is away'],
    [`new FatalError('wrong chain')`, 1, 'stopped: wrong chain'],
    [`new TypeError('oops')`, 1, 'stopped by a bug: oops'],
  ];
  for (const [error, code, message] of failures) {
    it(`exits ${code} on ${error}`, { timeout: 120_000 }, async () => {
      assert.equal(await exitCode(start(`throw ${error};`)), code);
      assert.ok(output.includes(message), output);
    });
  }

  it('ends in a line of its log when an error is not caught, without what is secret', {
    timeout: 120_000,
  }, async () => {
    const failure = `setTimeout(() => { throw new Error('with tsd_live_0123456789'); }, 1);`;
    assert.equal(await exitCode(start(`${failure} ${WAITS}`)), 1);
    const line = output.split('\n').find((text) => text.includes('stopped by a bug')) ?? '';
    assert.equal(JSON.parse(line).err.message, 'with tsd_live_[redacted]');
    assert.ok(!output.includes('0123456789'));
  });

  it('reports its health, and that it is ready only when its parts are', {
    timeout: 120_000,
  }, async () => {
    const port = await freePort();
    start(WAITS, port);
    await untilSaid('working');
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: answer.status, body: (await answer.json()) as unknown };
    };
    // The work may begin before the health server listens.
    let alive = await ask('/healthz').catch(() => undefined);
    while (!alive) {
      await sleep(10);
      alive = await ask('/healthz').catch(() => undefined);
    }
    assert.equal(alive.status, 200);
    assert.equal((await ask('/other')).status, 404);
    for (let ready = false; !ready; ) {
      const { status, body } = await ask('/readyz');
      ready = status === 200;
      const state = ready
        ? { status: 'ready', checks: { part: 'up' } }
        : { status: 'not ready', checks: { part: 'down' } };
      assert.deepEqual(body, state);
    }
  });

  it('serves its metrics beside its health', { timeout: 120_000 }, async () => {
    const port = await freePort();
    start(WAITS, port);
    await untilSaid('working');
    // Until it listens, and its metrics can be served.
    const ask = () => fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    let answer = await ask();
    while (answer?.status !== 200) {
      if (answer) assert.deepEqual(await answer.json(), { error: 'metrics are not available' });
      await sleep(10);
      answer = await ask();
    }
    assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4');
    assert.equal(await answer.text(), 'up 1');
  });
});
