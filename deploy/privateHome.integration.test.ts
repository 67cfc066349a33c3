import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { projectRoot } from '../shared/platform/projectRoot.ts';
import { createDevnet } from '../shared/testing/devnet/createDevnet.ts';
import { until } from '../shared/testing/pipelineProcess.ts';
import { createStack } from './local/environment.ts';
import { runCommand } from './local/runCommand.ts';
import { cacheFolder } from './local/serverBinaries.ts';
import { freePortBase } from './local/testing/freePortBase.ts';

// A typical clone: in a folder that only its owner, who is not root, can enter, at a long path with spaces. `make
// node-smoke` also starts the stack in this way on each version of Node.

const COMMAND_TIMEOUT_MS = 240_000;
const VERDICT_TIMEOUT_MS = 60_000;
const USER = '10002';
/** The longest path of a Unix socket, in bytes: the clone lies deeper. */
const SOCKET_PATH_MAX = 107;
const FOLDER = 'tokens and scams '.repeat(12).trim();
/** Contents of a checkout besides what is cloned and compiled. */
const NOT_COPIED = ['node_modules', '.git', '.local', '.env', 'coverage'];
const SERVERS = ['nats-server', 'redis-server', 'setpriv'];
const READABLE_BY_ALL = 0o004;

const isRoot = process.getuid?.() === 0;
const asUser = isRoot
  ? ['setpriv', '--reuid', USER, '--regid', USER, '--clear-groups', '--']
  : ['env'];

const run = async (argv: readonly string[]): Promise<boolean> => {
  const [command = '', ...args] = argv;
  return (await runCommand(command, args, { timeoutMs: COMMAND_TIMEOUT_MS })).code === 0;
};

/** Links the packages if everybody can read them, and copies them otherwise. */
const takePackages = async (clone: string): Promise<void> => {
  const packages = join(projectRoot(), 'node_modules');
  const target = join(clone, 'node_modules');
  const isReadable = statSync(join(packages, '.package-lock.json')).mode & READABLE_BY_ALL;
  if (isReadable && (await run(['cp', '-al', packages, target]))) return;
  rmSync(target, { recursive: true, force: true });
  assert.ok(await run(['cp', '-a', packages, target]));
  if (isRoot) assert.ok(await run(['chown', '-R', `${USER}:${USER}`, target]));
};

describe('a clone in a home that only its owner may enter', () => {
  const home = mkdtempSync(join(tmpdir(), 'tsd-home-'));
  const clone = join(home, 'my projects', FOLDER);
  const bin = join(home, 'bin');
  let env: NodeJS.ProcessEnv;

  const make = async (...args: string[]): Promise<string> => {
    const [command = '', ...rest] = [...asUser, 'make', ...args];
    const result = await runCommand(command, rest, {
      timeoutMs: COMMAND_TIMEOUT_MS,
      cwd: clone,
      env,
    });
    assert.equal(result.code, 0, result.stdout + result.stderr);
    return result.stdout;
  };

  before(async () => {
    const root = projectRoot();
    const cloned = readdirSync(root).filter((name) => !NOT_COPIED.includes(name));
    const servers = SERVERS.map((name) => join(cacheFolder(), name)).filter(existsSync);
    const cache = join(clone, '.local/cache');
    mkdirSync(cache, { recursive: true });
    mkdirSync(bin);
    assert.ok(await run(['cp', '-a', ...cloned.map((name) => join(root, name)), clone]));
    if (servers.length > 0) assert.ok(await run(['cp', '-a', ...servers, cache]));
    assert.ok(await run(['cp', process.execPath, join(bin, 'node')]));
    if (isRoot) assert.ok(await run(['chown', '-R', `${USER}:${USER}`, home]));
    await takePackages(clone);
    env = {
      PATH: `${bin}:${process.env['PATH']}`,
      HOME: home,
      TMPDIR: home,
      PORT_BASE: String(await freePortBase()),
    };
    // Stops the stack when its input ends, which also happens when this process is killed.
    const script = 'read -r _; cd "$0" && "$@"; rm -rf "$HOME"';
    janitor = spawn('sh', ['-c', script, clone, ...asUser, 'make', 'down'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      env,
    });
  });
  let janitor: ReturnType<typeof spawn> | undefined;
  after(async () => {
    janitor?.stdin?.end();
    if (janitor) await once(janitor, 'exit');
    rmSync(home, { recursive: true, force: true });
  });

  it('starts the stack, which gives a verdict, answers SQL and ends', async () => {
    assert.equal(statSync(home).mode & 0o777, 0o700);
    assert.ok(clone.length > SOCKET_PATH_MAX);
    assert.match(await make('up'), /^api +started/m);
    const { rpcUrl } = createStack(join(clone, '.local'), { PORT_BASE: env['PORT_BASE'] ?? '' });
    const devnet = await createDevnet({ url: rpcUrl });
    await devnet.deployUniswap();
    const token = await devnet.deployToken('honeypot');
    await devnet.addLiquidity(token, 10);
    const sql = `Q=SELECT prediction FROM verdicts WHERE token = '${token.address.toLowerCase()}'`;
    // The token may have a verdict before it has its pool.
    const isScam = async (): Promise<true | undefined> =>
      (await make('sql', sql)).split('\n')[1] === 'SCAM' || undefined;
    assert.ok(await until('the verdict SCAM', isScam, VERDICT_TIMEOUT_MS));
    await make('status');
    assert.match(await make('down'), /api/);
  });
});
