import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { programArgs } from '../../shared/testing/pipelineProcess.ts';
import { canListen } from '../../shared/testing/services.ts';
import { writeManifest } from '../backup/manifest.ts';
import { createStack, PORTS_PER_STACK, portLayout, savedSettings } from './environment.ts';
import { queryRows } from './probes.ts';
import { type CommandResult, runCommand } from './runCommand.ts';
import { readNotes } from './supervision.ts';
import { freePortBase } from './testing/freePortBase.ts';

const COMMAND_TIMEOUT_MS = 120_000;
const PROGRAM = programArgs('deploy/local/stack.ts');
const SERVERS = ['nats', 'redis', 'clickhouse', 'devnet'];
const ROLES = ['watcher', 'scorer', 'alerts', 'clusters', 'push', 'api'];
const PARTS = [...SERVERS, ...ROLES];
const WAIT_MS_MAX = 120_000;
/** A call of status is a process of its own. */
const POLL_MS = 500;
const LOOPBACK = '127.0.0.1';

/** Independent of the developer's own variables and .env. */
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

const createTestStack = async (): Promise<TestStack> => {
  const stateDir = mkdtempSync(join(tmpdir(), 'tsd-stack-'));
  const portBase = await freePortBase();
  // Stops the stack when its input ends, which also happens when this process is killed.
  const argv = [process.execPath, ...PROGRAM, 'down'];
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
      runCommand(process.execPath, [...PROGRAM, ...command.split(' ')], {
        timeoutMs: COMMAND_TIMEOUT_MS,
        env: {
          ...process.env,
          ...NOTHING_GIVEN,
          STATE_DIR: stateDir,
          PORT_BASE: String(portBase),
          ...env,
        },
      }),
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

/** A server's output to these lines until the expected text, or until it closes the connection. */
const converse = (port: number, lines: readonly string[], expected: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: LOOPBACK, port, timeout: WAIT_MS_MAX });
    let answer = '';
    socket.once('connect', () => socket.write(lines.map((line) => `${line}\r\n`).join('')));
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (expected.test(answer)) socket.destroy();
    });
    socket.once('timeout', () => socket.destroy());
    socket.once('close', () => resolve(answer));
    socket.once('error', reject);
  });

const waitUntil = async (
  what: string,
  check: () => Promise<boolean> | boolean,
  found: () => string = () => '',
): Promise<void> => {
  const deadline = Date.now() + WAIT_MS_MAX;
  while (!(await check())) {
    assert.ok(Date.now() < deadline, `not in time: ${what}\n${found()}`);
    await sleep(POLL_MS);
  }
};

/** Output of `status` once every part is healthy: on a busy machine a part may answer one probe late. */
const soundStatus = async (stack: TestStack): Promise<string> => {
  let status: CommandResult | undefined;
  const isSound = async (): Promise<boolean> => {
    status = await stack.run('status');
    return status.code === 0;
  };
  await waitUntil('every part is sound', isSound, () => `${status?.stdout}${status?.stderr}`);
  return `${status?.stdout}`;
};

const procFile = (pid: number, name: string): string[] =>
  readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0');

describe('two stacks', () => {
  let one: TestStack;
  let two: TestStack;
  before(async () => {
    [one, two] = [await createTestStack(), await createTestStack()];
    const elsewhereOnEarth = { TZ: 'Asia/Kathmandu' };
    await Promise.all([
      succeed(one.run('up servers', elsewhereOnEarth)),
      succeed(two.run('up servers')),
    ]);
  });
  after(() => Promise.all([one?.close(), two?.close()]));

  it('run side by side; up keeps what runs and starts what died', async () => {
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

    const status = await soundStatus(one);
    for (const part of SERVERS) assert.match(status, new RegExp(`${part} +running .* ok `));

    const elsewhere = await one.run('up servers', { PORT_BASE: String(two.portBase) });
    assert.equal(elsewhere.code, 1);
    assert.match(elsewhere.stderr, /^nats needs port \d+, which another program uses/);
    assert.match(
      await soundStatus(one),
      new RegExp(`nats +running +${pidOf(one, 'nats')} +${one.portBase + 1} +ok `),
    );

    const sql = one.run('sql', {
      Q: 'SELECT currentUser() AS u, currentDatabase() AS d, timezone() AS t',
    });
    assert.equal(await succeed(sql), 'u\td\tt\nanalyst\ttsd\tUTC\n');
    const wrong = await one.run('sql', { Q: 'DROP DATABASE tsd' });
    assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
    assert.match(wrong.stderr, /Not enough privileges/);
  });

  it('up starts a server again whose password was changed, and no other', async () => {
    const file = join(one.stateDir, 'secrets.json');
    // That of Redis is changed where roles run.
    const changes = [
      ['nats', 'nats'],
      ['clickhouseAnalyst', 'clickhouse'],
    ] as const;
    for (const [secret, part] of changes) {
      const secrets = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
      writeFileSync(file, JSON.stringify({ ...secrets, [secret]: 'changed-by-hand' }));
      const pids = SERVERS.map((name) => pidOf(one, name));
      assert.match(await succeed(one.run('up servers')), new RegExp(`^${part} +restarted`, 'm'));
      const restarted = SERVERS.filter((name, index) => pidOf(one, name) !== pids[index]);
      assert.deepEqual(restarted, [part]);
    }
    await soundStatus(one);
    assert.equal(await succeed(one.run('sql', { Q: 'SELECT 1' })), '1\n1\n');
  });

  it('down ends only the servers of its own stack', async () => {
    const stopped = await succeed(one.run('down'));
    for (const part of SERVERS) assert.match(stopped, new RegExp(part));
    assert.match(await succeed(one.run('down')), /nothing runs/);
    assert.match(await soundStatus(two), /nats +running .* ok /);
  });
});

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

  it('names every part whose port another program has, and starts none', async () => {
    const stack = await open();
    const { nats, redis, scorerHealth, api, apiHealth } = portLayout(stack.portBase);
    const squatters = await Promise.all(
      [nats, redis, scorerHealth, api, apiHealth].map(async (port) => {
        const squatter = createServer();
        await new Promise<void>((resolve) => squatter.listen(port, LOOPBACK, resolve));
        return squatter;
      }),
    );
    const [all, servers] = [await stack.run('up'), await stack.run('up servers')];
    for (const squatter of squatters) await new Promise((resolve) => squatter.close(resolve));
    const line = (part: string, port: number | string): string =>
      `${part} needs port ${port}, which another program uses: choose another PORT_BASE\n`;
    const ofServers = line('nats', nats) + line('redis', redis);
    const ofRoles = line('scorer', scorerHealth) + line('api', `${api} and ${apiHealth}`);
    assert.deepEqual([all.code, all.stdout, all.stderr], [1, '', ofServers + ofRoles]);
    assert.deepEqual([servers.code, servers.stdout, servers.stderr], [1, '', ofServers]);
  });

  it('commands on a folder without a stack say how to start one, and write nothing', async () => {
    const stack = await open();
    const mistyped = join(stack.stateDir, "it's not here");
    const refuse = async (command: string): Promise<void> => {
      const { code, stdout, stderr } = await stack.run(command, {
        STATE_DIR: mistyped,
        TO: join(stack.stateDir, 'backup'),
        Q: 'SELECT 1',
      });
      assert.deepEqual([code, stdout], [1, ''], command);
      assert.ok(stderr.startsWith(`there is no stack in ${mistyped}: make up STATE_DIR='`), stderr);
      assert.match(stderr, / starts one\n$/);
    };
    // The function that finds the stack has tests of which commands need one.
    await Promise.all(['down', 'sql', 'backup'].map(refuse));
    assert.deepEqual(readdirSync(stack.stateDir), []);
  });

  it('starts nothing for a backup of a stack with other secrets', async () => {
    const stack = await open();
    const file = { file: 'redis.rdb', bytes: 0, sha256: '0'.repeat(64) };
    writeManifest(stack.stateDir, {
      v: 1,
      createdAt: new Date().toISOString(),
      clickhouseVersion: '',
      natsVersion: '',
      migrations: [],
      pepperFingerprint: 'another',
      webhookKeyFingerprint: 'another',
      tables: [],
      redis: { ...file, version: '', database: 0, keys: 0, lastingKeys: 0 },
      streams: [],
    });
    const { code, stdout, stderr } = await stack.run('restore', { FROM: stack.stateDir });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^KEY_PEPPER is not that of the backup.* Bring the secrets along/);
    assert.deepEqual(readdirSync(stack.stateDir), ['manifest.json']);
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

describe('a running stack', () => {
  let stack: TestStack;
  const answers = async (port: number, path: string): Promise<boolean> => {
    const answer = await fetch(`http://${LOOPBACK}:${port}${path}`).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.status === 200;
  };
  before(async () => {
    stack = await createTestStack();
    const provider = { OIDC_ISSUER: 'https://issuer.invalid', OIDC_CLIENT_ID: 'a client' };
    await succeed(stack.run('up', { ...provider, OIDC_CLIENT_SECRET: 'of the API alone' }));
  });
  after(() => stack?.close());

  it('refuses everyone without a password', async () => {
    const { portBase } = stack;
    const redis = await converse(portBase + 3, ['SET stolen 1'], /\r\n/);
    assert.match(redis, /^-NOAUTH/);
    const wrong = await converse(portBase + 3, ['AUTH wrong'], /\r\n/);
    assert.match(wrong, /^-WRONGPASS/);
    const nats = await converse(portBase + 1, ['CONNECT {"verbose":false}', 'PING'], /PONG|-ERR/);
    assert.match(nats, /-ERR 'Authorization Violation'/);
    for (let port = portBase; port < portBase + PORTS_PER_STACK; port += 1) {
      for (const path of ['/varz', '/connz', '/jsz'])
        assert.equal(await answers(port, path), false);
    }
  });

  it('shows no secret to other users of the machine, and to each role those it needs', () => {
    const file = readFileSync(join(stack.stateDir, 'secrets.json'), 'utf8');
    const secrets = JSON.parse(file) as Record<string, string>;
    for (const part of PARTS) {
      const commandLine = procFile(pidOf(stack, part), 'cmdline').join(' ');
      for (const [name, secret] of Object.entries(secrets)) {
        assert.ok(!commandLine.includes(secret), `${name} is on the command line of ${part}`);
      }
    }
    const given = (role: string): string[] =>
      procFile(pidOf(stack, role), 'environ')
        .map((line) => line.split('=')[0] ?? '')
        .filter((name) =>
          /^(KEY_PEPPER|OIDC_CLIENT_SECRET|REDIS_URL|RPC_URL|WEBHOOK_SECRET_KEY)$/.test(name),
        )
        .toSorted();
    assert.deepEqual(Object.fromEntries(ROLES.map((role) => [role, given(role)])), {
      watcher: ['RPC_URL'],
      scorer: ['REDIS_URL', 'RPC_URL'],
      alerts: ['REDIS_URL'],
      clusters: [],
      push: ['REDIS_URL', 'WEBHOOK_SECRET_KEY'],
      api: ['KEY_PEPPER', 'OIDC_CLIENT_SECRET', 'REDIS_URL', 'WEBHOOK_SECRET_KEY'],
    });
    for (const folder of ['logs', 'pids'].map((name) => join(stack.stateDir, name))) {
      assert.equal(statSync(folder).mode & 0o777, 0o700, folder);
      for (const name of readdirSync(folder)) {
        assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
      }
    }
  });

  it('as servers of another stack refuses wrong passwords, before anything is started', async () => {
    const { nats, redis } = portLayout(stack.portBase);
    const { code, stdout, stderr } = await stack.run('check', {
      STATE_DIR: join(stack.stateDir, 'other'),
      PORT_BASE: String(await freePortBase()),
      NATS_URL: `nats://tsd:wrong@${LOOPBACK}:${nats}`,
      REDIS_URL: `redis://:wrong@${LOOPBACK}:${redis}`,
    });
    const line = (url: string): string =>
      `${url} does not take the user and password of the URL given, or is not ready\n`;
    assert.deepEqual(
      [code, stdout, stderr],
      [
        1,
        '',
        line(`nats at nats://${LOOPBACK}:${nats}`) + line(`redis at redis://${LOOPBACK}:${redis}`),
      ],
    );
  });

  it('starts again whatever is killed', async () => {
    const killed = new Map(PARTS.map((part) => [part, pidOf(stack, part)]));
    for (const pid of killed.values()) process.kill(pid, 'SIGKILL');
    const supervisorLog = (): string =>
      readFileSync(join(stack.stateDir, 'logs/supervisor.log'), 'utf8');
    const isStartedAgain = (part: string): boolean =>
      new RegExp(`"part":"${part}".*started again`).test(supervisorLog());
    let status: CommandResult | undefined;
    const isBack = async (): Promise<boolean> => {
      // A call of status takes CPU time that the parts need to start.
      if (!PARTS.every(isStartedAgain)) return false;
      status = await stack.run('status');
      const back = PARTS.filter((part) =>
        new RegExp(`^${part} +running .* ok .* [1-9]\\d*$`, 'm').test(status?.stdout ?? ''),
      );
      return status.code === 0 && back.length === PARTS.length;
    };
    await waitUntil('every part is back', isBack, () => `${status?.stdout}\n${supervisorLog()}`);
    for (const [part, pid] of killed) assert.notEqual(pidOf(stack, part), pid, part);
    assert.ok(await answers(stack.portBase, '/readyz'), 'the API is ready');
  });

  it('reports what a role waits for', async () => {
    const redis = pidOf(stack, 'redis');
    process.kill(redis, 'SIGSTOP');
    try {
      let status: CommandResult | undefined;
      const isSeen = async (): Promise<boolean> => {
        if (await answers(stack.portBase, '/readyz')) return false;
        status = await stack.run('status');
        return status.code === 1 && /^api +running .* failing: redis /m.test(status.stdout);
      };
      // A role answers probes with its state of a moment ago.
      await waitUntil('the API waits for Redis', isSeen, () => `${status?.stdout}`);
    } finally {
      process.kill(redis, 'SIGCONT');
    }
  });

  it('up restarts the roles that use a changed password, and roll restarts none before that', async () => {
    const file = join(stack.stateDir, 'secrets.json');
    const secrets = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    const pids = PARTS.map((part) => pidOf(stack, part));
    const restarted = (): string[] =>
      PARTS.filter((part, index) => pidOf(stack, part) !== pids[index]);
    writeFileSync(file, JSON.stringify({ ...secrets, redis: 'changed-by-hand' }));
    const roll = await stack.run('roll');
    assert.deepEqual([roll.code, restarted()], [1, []]);
    assert.match(roll.stderr, /^redis does not answer, so no role is restarted: make up first$/m);
    await succeed(stack.run('up'));
    assert.deepEqual(restarted(), ['redis', 'scorer', 'alerts', 'push', 'api']);
    await soundStatus(stack);
  });

  it('migrate takes how long rows are kept, for later starts too', async () => {
    const settings = savedSettings(stack.stateDir, {});
    const { clickhouseUrl } = createStack(stack.stateDir, settings);
    const keptDays = (): Promise<string> =>
      queryRows(
        clickhouseUrl,
        "SELECT extract(engine_full, 'toIntervalDay.(\\d+)') FROM system.tables WHERE database = 'tsd' AND name = 'alerts'",
        WAIT_MS_MAX,
      );
    assert.equal(await keptDays(), '90\n');
    const said = await succeed(stack.run('migrate', { RETENTION_ALERTS_DAYS: '30' }));
    assert.equal(said, 'the tables are up to date\n');
    assert.equal(await keptDays(), '30\n');
    await succeed(stack.run('up'));
    assert.equal(await keptDays(), '30\n');
    assert.deepEqual(savedSettings(stack.stateDir, {}), {
      ...settings,
      RETENTION_ALERTS_DAYS: '30',
    });
  });

  it('says which part cannot be started, and leaves it until make up', async () => {
    const port = portLayout(stack.portBase).pushHealth;
    const [supervisor, push] = [pidOf(stack, 'supervisor'), pidOf(stack, 'push')];
    const squatter = createServer();
    // Asleep while the port changes hands.
    process.kill(supervisor, 'SIGSTOP');
    try {
      process.kill(push, 'SIGKILL');
      await waitUntil('the port is free', () => canListen(port));
      await new Promise<void>((resolve) => squatter.listen(port, LOOPBACK, resolve));
    } finally {
      process.kill(supervisor, 'SIGCONT');
    }
    try {
      const isGivenUp = (): boolean => readNotes(stack.stateDir)['push']?.isGivenUp ?? false;
      await waitUntil('push is given up', isGivenUp);
    } finally {
      await new Promise((resolve) => squatter.close(resolve));
    }
    const { code, stdout } = await stack.run('status');
    assert.equal(code, 1);
    assert.match(stdout, /^push +failed /m);
    assert.match(stdout, /push failed: needs port \d+.*given up after 7 restarts/);
    assert.match(await succeed(stack.run('up')), /push +started/);
    const isBack = async (): Promise<boolean> => {
      const shown = await stack.run('status');
      return shown.code === 0 && /^push +running .* ok .* 0$/m.test(shown.stdout);
    };
    await waitUntil('push runs again', isBack);
  });

  it('reports that its supervisor does not run, and up starts one for the same parts', async () => {
    const pids = PARTS.map((part) => pidOf(stack, part));
    process.kill(pidOf(stack, 'supervisor'), 'SIGKILL');
    const { code, stdout } = await stack.run('status');
    assert.equal(code, 1);
    assert.match(stdout, /the supervisor does not run/);
    await succeed(stack.run('up'));
    await soundStatus(stack);
    assert.deepEqual(
      PARTS.map((part) => pidOf(stack, part)),
      pids,
    );
  });

  it('finds every part again whose pid file was lost', async () => {
    const pids = PARTS.map((part) => pidOf(stack, part));
    for (const part of PARTS) rmSync(join(stack.stateDir, `pids/${part}.json`));
    await waitUntil('every pid file is back', () => {
      const files = readdirSync(join(stack.stateDir, 'pids'));
      return PARTS.every((part) => files.includes(`${part}.json`));
    });
    assert.deepEqual(
      PARTS.map((part) => pidOf(stack, part)),
      pids,
    );
  });
});
