import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import createIgnore from '@balena/dockerignore';
import { z } from 'zod';
import { projectRoot } from '../shared/platform/projectRoot.ts';
import { until } from '../shared/testing/pipelineProcess.ts';
import {
  type ClickhouseService,
  freePort,
  type Service,
  startAnvil,
  startClickhouse,
  startNats,
  startRedis,
} from '../shared/testing/services.ts';
import { packagesInImage } from './documents/licences.ts';

// The Dockerfile's steps without a container engine: compiling the files sent to the build, the image's contents, its
// commands, an unprivileged user, a read-only root, secrets as files.

const TIMEOUT_MS = 120_000;
const USER = '10001';
const DROPPED = [
  '--reuid',
  USER,
  '--regid',
  USER,
  '--clear-groups',
  '--no-new-privs',
  '--bounding-set=-all',
  '--inh-caps=-all',
];
/** Makes the whole file system of a process read-only except for the folder $0, then runs the rest. */
const READ_ONLY =
  'mount --make-rprivate / && mount --bind / / && mount -o remount,bind,ro / && mount -t tmpfs -o mode=1777 tmpfs "$0" && exec "$@"';
const ROLES = ['watcher', 'scorer', 'alerts', 'clusters', 'push'] as const;

const isRoot = process.getuid?.() === 0;
const canMount =
  isRoot &&
  spawnSync('unshare', [
    '--mount',
    'sh',
    '-c',
    'mount --make-rprivate / && mount --bind / / && mount -o remount,bind,ro /',
  ]).status === 0;

/** Folders of a checkout that hold no sources. */
const NEVER_SENT = ['node_modules', '.git', '.local', 'dist', 'coverage'];
/** Files only for tests and training, which must not be in the image. */
const NOT_IN_IMAGE = /\.(test|scale|chaos|bench)\.|(^|\/)(testing|training|fixtures)(\/|$)/;

/**
 * The first stage of the Dockerfile: compiles what `.dockerignore` sends, and nothing else of this checkout.
 */
const build = (folder: string): void => {
  const root = projectRoot();
  const isSent = createIgnore
    .default()
    .add(readFileSync(join(root, '.dockerignore'), 'utf8'))
    .createFilter();
  const files = readdirSync(root, { withFileTypes: true })
    .filter(({ name }) => !NEVER_SENT.includes(name))
    .flatMap((entry) =>
      entry.isDirectory()
        ? readdirSync(join(root, entry.name), { recursive: true, withFileTypes: true })
        : [entry],
    )
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter(isSent);
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const compiler = ['node_modules/.bin/tsc', '-p', 'deploy/tsconfig.build.json'];
  const result = spawnSync(compiler[0] ?? '', compiler.slice(1), { cwd: folder, encoding: 'utf8' });
  assert.equal(result.status, 0, result.stdout + result.stderr);
};

/** What the Dockerfile deletes of packages: nothing runs it. */
const DELETED = /\.([cm]?ts|map|md)$/;
const MACHINE_CODE = /^node_modules\/onnxruntime-node\/bin\/.*\.\w+$/;
const PLATFORM = `/${process.platform}/${process.arch}/`;

/** Copies the image's packages, because its user may not have access to this checkout. */
const copyPackages = (folder: string): void => {
  const root = projectRoot();
  const lock = readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8');
  for (const [path] of packagesInImage(lock)) {
    if (!existsSync(join(root, path))) continue;
    const isHeld = (source: string): boolean => {
      const file = relative(root, source);
      if (DELETED.test(file) || file === join(path, 'node_modules')) return false;
      return !MACHINE_CODE.test(file) || file.includes(PLATFORM);
    };
    cpSync(join(root, path), join(folder, path), { recursive: true, filter: isHeld });
  }
};

/** The last stage: creates the image's files. */
const layOut = (built: string, folder: string): void => {
  const dockerfile = readFileSync(join(projectRoot(), 'deploy/Dockerfile'), 'utf8');
  const copies = [...dockerfile.matchAll(/^COPY (?:--from=build \/build\/)?(\S+) (\S+)$/gm)];
  const last = dockerfile.lastIndexOf('\nFROM ');
  for (const [, source = '', target = ''] of copies.filter(({ index }) => index > last)) {
    const from = join(built, source.replace('/*.sql', ''));
    const to = join(folder, target === './' ? source : target);
    mkdirSync(dirname(to), { recursive: true });
    if (source === 'node_modules') copyPackages(folder);
    else cpSync(from, to, { recursive: true });
  }
};

describe('the image, laid out on this machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tsd-image-'));
  const app = join(folder, 'app');
  const secrets = join(folder, 'secrets');
  const scratch = join(folder, 'tmp');
  /** A copy, too, because it may be in a home folder that only its owner can enter. */
  const node = join(folder, 'node');
  const children: ChildProcess[] = [];
  let nats: Service;
  let redis: Service;
  let clickhouse: ClickhouseService;
  let anvil: Service;
  let environment: NodeJS.ProcessEnv = {};

  /** The command of the image, as its user. */
  const commandOf = (argv: readonly string[]): [string, string[]] => {
    if (!isRoot) return ['env', [node, ...argv]];
    const asUser = ['setpriv', '--pdeathsig', 'KILL', ...DROPPED, '--', node, ...argv];
    if (!canMount) return ['env', asUser];
    return ['unshare', ['--mount', 'sh', '-c', READ_ONLY, scratch, ...asUser]];
  };
  const run = (argv: readonly string[], extra: NodeJS.ProcessEnv = {}) => {
    const [command, args] = commandOf(argv);
    const options = { cwd: app, env: { ...environment, ...extra }, encoding: 'utf8' } as const;
    return spawnSync(command, args, { ...options, timeout: TIMEOUT_MS });
  };
  const start = (argv: readonly string[], extra: NodeJS.ProcessEnv) => {
    const [command, args] = commandOf(argv);
    const child = spawn(command, args, {
      cwd: app,
      env: { ...environment, ...extra },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    children.push(child);
    return { child, output: () => output };
  };
  const untilOk = async (what: string, url: string, process: ReturnType<typeof start>) => {
    const isOk = async (): Promise<true | undefined> => {
      if (process.child.exitCode !== null) throw new Error(`${what} ended: ${process.output()}`);
      return (await fetch(url).catch(() => undefined))?.ok || undefined;
    };
    await until(`${what} at ${url}`, isOk, TIMEOUT_MS).catch((cause: unknown) => {
      throw new Error(process.output(), { cause });
    });
  };
  const stop = async ({ child, output }: ReturnType<typeof start>): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null], output());
  };

  before(async () => {
    const built = join(folder, 'build');
    mkdirSync(built);
    build(built);
    layOut(built, app);
    cpSync(process.execPath, node);
    mkdirSync(secrets);
    mkdirSync(scratch);
    assert.equal(spawnSync('chmod', ['-R', 'go+rX', folder]).status, 0);
    chmodSync(scratch, 0o1777);
    [nats, redis, clickhouse, anvil] = await Promise.all([
      startNats(),
      startRedis(),
      startClickhouse(),
      startAnvil(),
    ]);
    const database = new URL(clickhouse.url);
    // One that does not exist yet, as on a new server.
    database.pathname = '/fresh';
    const values = {
      NATS_URL: nats.url,
      REDIS_URL: redis.url,
      CLICKHOUSE_URL: database.href,
      RPC_URL: anvil.url,
      KEY_PEPPER: 'a pepper of thirty-two characters',
      WEBHOOK_SECRET_KEY: 'a secret of thirty-two characters',
    };
    const files = Object.entries(values).map(([name, text]) => {
      const path = join(secrets, name.toLowerCase());
      writeFileSync(path, `${text}\n`);
      return [`${name}_FILE`, path];
    });
    environment = {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      TMPDIR: scratch,
      CHAIN_ID: '31337',
      WETH_ADDRESS: `0x${'11'.repeat(20)}`,
      HEALTH_HOST: '0.0.0.0',
      HOST: '0.0.0.0',
      LOG_LEVEL: 'warn',
      ...(Object.fromEntries(files) as Record<string, string>),
    };
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([nats, redis, clickhouse, anvil].map((one) => one?.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  it('holds nothing of tests and training', () => {
    const files = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter(
      (file) => !file.startsWith('node_modules'),
    );
    assert.ok(files.includes('dist/api/main.js'));
    assert.deepEqual(
      files.filter((file) => NOT_IN_IMAGE.test(file)),
      [],
    );
  });

  it('needs no package that it does not hold', () => {
    const { dependencies } = z
      .object({ dependencies: z.record(z.string()) })
      .parse(JSON.parse(readFileSync(join(app, 'package.json'), 'utf8')));
    const held = new Set([...Object.keys(dependencies), ...builtinModules]);
    const dist = join(app, 'dist');
    const needed = readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js'))
      .map((file) => readFileSync(join(dist, file), 'utf8'))
      .flatMap((code) => [
        ...code.matchAll(/(?:\bfrom |\bimport\()'(?:node:)?([@\w][\w@/.-]*)'[;)]/g),
      ])
      .map(([, name = '']) => name)
      .map((name) => (name.startsWith('@') ? name.split('/', 2).join('/') : name.split('/')[0]))
      .flatMap((name) => name ?? []);
    assert.deepEqual(
      [...new Set(needed)].filter((name) => !held.has(name)),
      [],
    );
  });

  it('cannot write where it lies, only into its scratch folder', () => {
    const code = `for (const folder of ${JSON.stringify([app, join(app, 'dist'), scratch])}) {
      try { require('fs').writeFileSync(folder + '/x', ''); console.log('written'); }
      catch (error) { console.log(error.code); } }
      console.log(process.getuid())`;
    const { stdout } = run(['-e', code]);
    const refusal = canMount ? 'EROFS' : 'EACCES';
    const expected = isRoot ? [refusal, refusal, 'written', USER] : undefined;
    if (expected) assert.deepEqual(stdout.trim().split('\n'), expected);
    else assert.match(stdout, /^[1-9]\d*\n$/m);
  });

  it('makes the database and its tables, then has nothing left to do', () => {
    const first = run(['dist/migrations/migrate.js']);
    assert.equal(first.status, 0, first.stdout + first.stderr);
    assert.match(first.stdout, /schema is up to date/);
    assert.match(run(['dist/migrations/migrate.js']).stdout, /"count":0/);
  });

  it('runs every role until it is asked to end, and its probe agrees', async () => {
    const live = async (role: string): Promise<void> => {
      const port = await freePort();
      const variables = { HEALTH_PORT: String(port) };
      const running = start(['dist/pipeline/main.js', role], variables);
      await untilOk(role, `http://127.0.0.1:${port}/readyz`, running);
      assert.equal(run(['dist/shared/platform/checkHealth.js'], variables).status, 0);
      await stop(running);
      assert.equal(run(['dist/shared/platform/checkHealth.js'], variables).status, 1);
    };
    await Promise.all(ROLES.map(live));
  });

  it('serves the API with a key made by its own command', async () => {
    const [port, healthPort] = [await freePort(), await freePort()];
    const variables = {
      PORT: String(port),
      HEALTH_PORT: String(healthPort),
      MAIL_DIR: join(scratch, 'mail'),
    };
    const api = start(['dist/api/main.js'], variables);
    const url = `http://127.0.0.1:${port}`;
    await untilOk('api', `${url}/readyz`, api);
    await untilOk('api', `http://127.0.0.1:${healthPort}/metrics`, api);
    const made = run(['dist/api/accounts/createKey.js', '--tier', 'pro']);
    const key = made.stdout.trim();
    const answer = await fetch(`${url}/tokens`, { headers: { 'X-API-Key': key } });
    assert.equal(answer.status, 200, made.stderr);
    for (const path of ['/dashboard/sign-in', '/docs', '/openapi.json']) {
      assert.equal((await fetch(`${url}${path}`)).status, 200, path);
    }
    await stop(api);
  });

  it('names the setting that is wrong and ends', () => {
    const missing = join(secrets, 'missing');
    const wrong = run(['dist/pipeline/main.js', 'push'], { WEBHOOK_SECRET_KEY_FILE: missing });
    assert.equal(wrong.status, 1);
    assert.match(
      wrong.stderr,
      /WEBHOOK_SECRET_KEY_FILE: the file .*missing cannot be read \(ENOENT\)/,
    );
    const twice = run(['dist/pipeline/main.js', 'push'], { REDIS_URL: redis.url });
    assert.match(twice.stderr, /REDIS_URL: must not be set together with REDIS_URL_FILE/);
  });
});
