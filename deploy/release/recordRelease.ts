import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClickhouse } from '../../shared/platform/clickhouse.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { createStack } from '../local/environment.ts';
import { type CommandResult, runCommand } from '../local/runCommand.ts';
import { packageVersion } from '../packageVersion.ts';
import { readAnswers, readViews } from './answers.ts';
import { refusalToRecord } from './refusalToRecord.ts';

// Records what a release leaves behind, for the tests of upgrades from it: make record-release
// It runs the demo on a stack of its own, asks the API, backs the stack up and packs all of it into one archive of some hundred kB. The
// secrets in it are those of that stack, which nothing else uses.

const COMMAND_TIMEOUT_MS = 600_000;
/** Milliseconds after which every touched token has its verdict: base tokens get one a minute. */
const REST_MS = 75_000;
const PORT_BASE = process.env['PORT_BASE'] ?? '9400';

const version = packageVersion();
const name = `deploy/release/fixtures/${version}.tar.gz`;
const archive = join(projectRoot(), name);
const refusal = refusalToRecord(version, existsSync(archive));
if (refusal !== undefined) {
  process.stderr.write(`${refusal}\n`);
  process.exit(1);
}
const state = mkdtempSync(join(tmpdir(), 'tsd-release-'));
const packed = mkdtempSync(join(tmpdir(), 'tsd-release-packed-'));

const succeed = async (command: string, args: readonly string[]): Promise<string> => {
  const env = { ...process.env, STATE_DIR: state, PORT_BASE, TO: join(packed, 'backup') };
  const options = { timeoutMs: COMMAND_TIMEOUT_MS, cwd: projectRoot(), env };
  const { code, stdout, stderr }: CommandResult = await runCommand(command, args, options);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
};

const askViews = async (): ReturnType<typeof readViews> => {
  const database = createClickhouse({ url: createStack(state, { PORT_BASE }).clickhouseUrl });
  try {
    return await readViews(database);
  } finally {
    await database.close();
  }
};

/** The development chain without the states of past blocks, which are most of it. */
const packChain = (): void => {
  const path = join(state, 'data/devnet/chain.json');
  const chain = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  writeFileSync(
    join(packed, 'chain.json'),
    JSON.stringify({ ...chain, historical_states: undefined }),
  );
};

try {
  const shown = await succeed('make', ['demo']);
  const apiKey = /^key +(\S+)$/m.exec(shown)?.[1] ?? '';
  await sleep(REST_MS);
  const answers = await readAnswers(`http://127.0.0.1:${PORT_BASE}`, apiKey);
  const views = await askViews();
  await succeed('make', ['backup']);
  await succeed('make', ['down']);
  packChain();
  cpSync(join(state, 'secrets.json'), join(packed, 'secrets.json'));
  writeFileSync(join(packed, 'answers.json'), JSON.stringify({ apiKey, answers, views }, null, 1));
  mkdirSync(dirname(archive), { recursive: true });
  await succeed('tar', ['-czf', archive, '-C', packed, '.']);
  process.stdout.write(`${name}\n`);
} finally {
  rmSync(state, { recursive: true, force: true });
  rmSync(packed, { recursive: true, force: true });
}
