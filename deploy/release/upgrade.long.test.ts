import assert from 'node:assert/strict';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { z } from 'zod';
import { createClickhouse } from '../../shared/platform/clickhouse.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { createDevnet } from '../../shared/testing/devnet/createDevnet.ts';
import { programArgs, until } from '../../shared/testing/pipelineProcess.ts';
import { type Manifest, readManifest } from '../backup/manifest.ts';
import { countRows } from '../backup/tables.ts';
import { createStack } from '../local/environment.ts';
import { runCommand } from '../local/runCommand.ts';
import { freePortBase } from '../local/testing/freePortBase.ts';
import { readAnswers, readViews, recordedSchema } from './answers.ts';

// Each release left an archive (`recordRelease.ts`): a backup of its demo's stack, that stack's chain, and what its API answered. Here the current
// code takes it over as an operator does: restore, which migrates, start, and restart role by role. Then the release itself runs on its data, and
// its roles are replaced one after the other while the others go on.

const COMMAND_TIMEOUT_MS = 120_000;
const ANSWER_MS_MAX = 30_000;
const VERDICT_MS_MAX = 60_000;
const FIXTURES = join(projectRoot(), 'deploy/release/fixtures');
const RELEASES = readdirSync(FIXTURES)
  .filter((name) => name.endsWith('.tar.gz'))
  .map((name) => name.replace(/\.tar\.gz$/, ''));
/** Arguments of Node that run the local stack: those of the current code, and of a release in its folder. */
const PROGRAM = programArgs('deploy/local/stack.ts');
const RELEASED_PROGRAM = ['--import', 'tsx', 'deploy/local/stack.ts'];

/** As described in DEPLOY.md. */
const ROLL_ORDER = ['api', 'push', 'alerts', 'clusters', 'scorer', 'watcher'];

/**
 * Tables whose rows ClickHouse deletes at this age in days (`TTL` in migrations, `RETENTION_*_DAYS`): from then on a
 * restore brings back fewer rows than the archive holds.
 */
const DAYS_KEPT: Readonly<Record<string, number>> = {
  alerts: 90,
  webhook_deliveries: 30,
  api_requests: 400,
};
/** The demo's chain begins hours before its backup. */
const DAYS_BEFORE_BACKUP = 1;
const DAY_MS = 86_400_000;

/** Whether an archive is too recent for any row of a table to have expired. */
const keepsAll = (table: string, { createdAt }: Manifest): boolean => {
  const ageDays = (Date.now() - Date.parse(createdAt)) / DAY_MS + DAYS_BEFORE_BACKUP;
  return ageDays < (DAYS_KEPT[table] ?? Number.POSITIVE_INFINITY);
};

/** Compares what a restore brought back, migrated and not yet touched by a role, with the backup and with what the release's views said. */
const assertNothingIsLost = async (
  clickhouseUrl: string,
  manifest: Manifest,
  views: z.infer<typeof recordedSchema>['views'],
): Promise<void> => {
  const database = createClickhouse({ url: clickhouseUrl });
  try {
    const kept = manifest.tables.filter(({ table }) => keepsAll(table, manifest));
    const found = await Promise.all(
      kept.map(async ({ table }) => [table, await countRows(database, table)] as const),
    );
    const saved = kept.map(({ table, rows }) => [table, rows] as const);
    assert.deepEqual(Object.fromEntries(found), Object.fromEntries(saved));
    assert.deepEqual(await readViews(database), views);
  } finally {
    await database.close();
  }
};

/** Runs a command to its end. @returns its output @throws if it fails. */
const succeed = async (
  command: string,
  args: readonly string[],
  { cwd = projectRoot(), env = process.env }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> => {
  const options = { timeoutMs: COMMAND_TIMEOUT_MS, cwd, env };
  const { code, stdout, stderr } = await runCommand(command, args, options);
  assert.equal(code, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
};

/** The commit of a release, by its message; undefined without the history of the repository. */
const commitOf = async (version: string): Promise<string | undefined> => {
  const args = ['log', '-1', '--format=%H', `--grep=^release ${version.replaceAll('.', '\\.')}:`];
  const { code, stdout } = await runCommand('git', args, {
    timeoutMs: COMMAND_TIMEOUT_MS,
    cwd: projectRoot(),
  });
  return code === 0 ? stdout.trim() || undefined : undefined;
};

describe('every release', () => {
  const folders: string[] = [];
  const stops: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const stop of stops) await stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  const temporary = (name: string): string => {
    const folder = mkdtempSync(join(tmpdir(), `tsd-${name}-`));
    folders.push(folder);
    return folder;
  };

  /** Unpacks a release's archive for a separate stack, which is not started. */
  const unpack = async (version: string) => {
    const packed = temporary('packed');
    const state = temporary('upgraded');
    await succeed('tar', ['-xzf', join(FIXTURES, `${version}.tar.gz`), '-C', packed]);
    const file = readFileSync(join(packed, 'answers.json'), 'utf8');
    const recorded = recordedSchema.parse(JSON.parse(file));
    cpSync(join(packed, 'secrets.json'), join(state, 'secrets.json'));
    mkdirSync(join(state, 'data/devnet'), { recursive: true });
    cpSync(join(packed, 'chain.json'), join(state, 'data/devnet/chain.json'));

    const PORT_BASE = String(await freePortBase());
    const from = join(packed, 'backup');
    const env = { ...process.env, STATE_DIR: state, PORT_BASE, FROM: from };
    const stack = (command: string, settings?: NodeJS.ProcessEnv): Promise<string> =>
      succeed(process.execPath, [...PROGRAM, command], { env: { ...env, ...settings } });
    stops.push(() => stack('down'));
    const { ports, rpcUrl, clickhouseUrl } = createStack(state, { PORT_BASE });
    const ask = () =>
      readAnswers(`http://127.0.0.1:${ports.api}`, recorded.apiKey).catch(() => undefined);
    return { recorded, manifest: readManifest(from), env, stack, ask, rpcUrl, clickhouseUrl };
  };
  type Unpacked = Awaited<ReturnType<typeof unpack>>;

  /** @returns launches a token that cannot be sold, and waits until the API calls it a scam. */
  const createLaunch = async ({ rpcUrl, ask }: Unpacked): Promise<() => Promise<void>> => {
    const devnet = await createDevnet({ url: rpcUrl });
    await devnet.deployUniswap();
    return async () => {
      const token = await devnet.deployToken('honeypot');
      await devnet.addLiquidity(token, 10);
      const verdict = async (): Promise<unknown> =>
        (await ask())?.tokens[token.address.toLowerCase()]?.['prediction'];
      assert.equal(await until('a verdict', verdict, VERDICT_MS_MAX), 'SCAM');
    };
  };

  it('was recorded', () => {
    assert.ok(RELEASES.includes('0.1.0'), RELEASES.join());
  });

  for (const version of RELEASES) {
    it(`left data that are served as they were, and new blocks get verdicts, after the upgrade and with every role restarted: ${version}`, async () => {
      const unpacked = await unpack(version);
      const { recorded, manifest, stack, ask } = unpacked;
      await stack('restore');
      await assertNothingIsLost(unpacked.clickhouseUrl, manifest, recorded.views);
      await stack('up');
      const assertAnswers = async (): Promise<void> => {
        const answers = await until('answers', ask, ANSWER_MS_MAX);
        const { alerts } = keepsAll('alerts', manifest) ? recorded.answers : answers;
        assert.deepEqual(answers, { ...recorded.answers, alerts });
      };
      assert.ok(Object.keys(recorded.answers.tokens).length >= 8);
      assert.ok(recorded.answers.alerts.length > 0 && recorded.answers.watchlist.length > 0);
      await assertAnswers();
      const rolled = await stack('roll');
      assert.deepEqual(rolled.match(/^\w+(?= +restarted)/gm), ROLL_ORDER);
      await assertAnswers();
      await (await createLaunch(unpacked))();
    });

    it(`gives verdicts on migrated tables and beside every role of today that replaced its own: ${version}`, async (t) => {
      const commit = await commitOf(version);
      if (commit === undefined) return t.skip(`the history with release ${version} is not here`);
      // The current packages are used: those that a release needs are still among them, or its roles do not start.
      const code = temporary('released');
      const archive = join(temporary('archive'), 'code.tar');
      await succeed('git', ['archive', `--output=${archive}`, commit]);
      await succeed('tar', ['-xf', archive, '-C', code]);
      symlinkSync(join(projectRoot(), 'node_modules'), join(code, 'node_modules'));
      const compile = ['node_modules/typescript/bin/tsc', '-b', 'deploy/tsconfig.build.json'];
      await succeed(process.execPath, compile, { cwd: code });

      const unpacked = await unpack(version);
      const { stack, env } = unpacked;
      const released = (command: string): Promise<string> =>
        succeed(process.execPath, [...RELEASED_PROGRAM, command], { cwd: code, env });
      await released('restore');
      await released('up');
      await until('answers', unpacked.ask, ANSWER_MS_MAX);
      const launch = await createLaunch(unpacked);
      await stack('migrate');
      await launch();
      for (const role of ROLL_ORDER) {
        assert.match(await stack('roll', { ROLE: role }), new RegExp(`^${role} +restarted`, 'm'));
        await launch();
      }
      const { tokens, watchlist } = await until('answers', unpacked.ask, ANSWER_MS_MAX);
      const { answers } = unpacked.recorded;
      // Tokens are scored again as they grow older: the prediction stays, the confidence may change.
      const said = (all: typeof tokens) =>
        Object.keys(answers.tokens).map((address) => {
          const { confidence: _, risk_score: __, ...rest } = all[address] ?? {};
          return rest;
        });
      assert.deepEqual(said(tokens), said(answers.tokens));
      assert.deepEqual(watchlist, answers.watchlist);
    });
  }
});
