import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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
// code takes it over as an operator does: restore, which migrates, start, and restart role by role.

const COMMAND_TIMEOUT_MS = 120_000;
const ANSWER_MS_MAX = 30_000;
const VERDICT_MS_MAX = 60_000;
const FIXTURES = join(projectRoot(), 'deploy/release/fixtures');
const PROGRAM = programArgs('deploy/local/stack.ts');
const ARCHIVES = readdirSync(FIXTURES).filter((name) => name.endsWith('.tar.gz'));

/** As DEPLOY.md has it. */
const ROLL_ORDER = ['api', 'push', 'alerts', 'clusters', 'scorer', 'watcher'];

/**
 * Tables whose rows ClickHouse deletes when they are this many days old (`TTL` in migrations, `RETENTION_*_DAYS`): from then on an archive
 * holds more of them than a restore brings back.
 */
const DAYS_KEPT: Readonly<Record<string, number>> = {
  alerts: 90,
  webhook_deliveries: 30,
  api_requests: 400,
};
/** The demo's chain begins hours before its backup. */
const DAYS_BEFORE_BACKUP = 1;
const DAY_MS = 86_400_000;

/** Whether an archive is too young for any row of a table to have expired. */
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

describe('the data of every release', () => {
  const folders: string[] = [];
  const stops: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const stop of stops) await stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  it('was recorded', () => {
    assert.ok(ARCHIVES.includes('0.1.0.tar.gz'), ARCHIVES.join());
  });

  for (const archive of ARCHIVES) {
    it(`of ${archive}: is served as it was, and new blocks get verdicts, after the upgrade and with every role restarted`, async () => {
      const packed = mkdtempSync(join(tmpdir(), 'tsd-upgrade-'));
      const state = mkdtempSync(join(tmpdir(), 'tsd-upgraded-'));
      folders.push(packed, state);
      const env = {
        ...process.env,
        STATE_DIR: state,
        PORT_BASE: String(await freePortBase()),
        FROM: join(packed, 'backup'),
      };
      const run = async (command: string, ...args: string[]): Promise<string> => {
        const options = { timeoutMs: COMMAND_TIMEOUT_MS, cwd: projectRoot(), env };
        const { code, stdout, stderr } = await runCommand(command, args, options);
        assert.equal(code, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`);
        return stdout;
      };
      const stack = (command: string): Promise<string> =>
        run(process.execPath, ...PROGRAM, command);

      await run('tar', '-xzf', join(FIXTURES, archive), '-C', packed);
      const recorded = recordedSchema.parse(
        JSON.parse(readFileSync(join(packed, 'answers.json'), 'utf8')),
      );
      cpSync(join(packed, 'secrets.json'), join(state, 'secrets.json'));
      mkdirSync(join(state, 'data/devnet'), { recursive: true });
      cpSync(join(packed, 'chain.json'), join(state, 'data/devnet/chain.json'));

      stops.push(() => stack('down'));
      await stack('restore');
      const { ports, rpcUrl, clickhouseUrl } = createStack(state, { PORT_BASE: env.PORT_BASE });
      const manifest = readManifest(env.FROM);
      await assertNothingIsLost(clickhouseUrl, manifest, recorded.views);
      await stack('up');
      const url = `http://127.0.0.1:${ports.api}`;
      const ask = () => readAnswers(url, recorded.apiKey).catch(() => undefined);
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

      const devnet = await createDevnet({ url: rpcUrl });
      await devnet.deployUniswap();
      const token = await devnet.deployToken('honeypot');
      await devnet.addLiquidity(token, 10);
      const verdict = async (): Promise<string | undefined> => {
        const answers = await ask();
        return answers?.tokens[token.address.toLowerCase()]?.['prediction'] as string | undefined;
      };
      assert.equal(await until('a verdict', verdict, VERDICT_MS_MAX), 'SCAM');
    });
  }
});
