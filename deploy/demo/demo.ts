import { existsSync } from 'node:fs';
import { BaseError } from 'viem';
import { createDevnet } from '../../shared/testing/devnet/createDevnet.ts';
import {
  createStack,
  ENV_FILE,
  loadEnvFile,
  type Stack,
  saveSettings,
  settingsOfDemo,
  stateDirOf,
  variablesToRepeat,
} from '../local/environment.ts';
import { bringUp } from '../local/lifecycle.ts';
import { queryRows } from '../local/probes.ts';
import { runProgram } from '../local/runCommand.ts';
import { natsServer, redisServer, setpriv } from '../local/serverBinaries.ts';
import {
  describeAlert,
  describeRing,
  missingParts,
  type Outcome,
  verdictTable,
} from './outcome.ts';
import { assertComplete, openApi, playHour, playLastActs, say, showRing } from './play.ts';
import { askQuestions, isUntouched } from './questions.ts';

const CREATE_KEY_TIMEOUT_MS = 20_000;
const SQL_TIMEOUT_MS = 10_000;
const KEY = /^\S+$/;

/** Installs missing servers: takes as long as the network needs, so it is not timed. */
export const installServers = async (): Promise<void> => {
  await natsServer();
  await redisServer();
  await setpriv();
};

/**
 * Does the same as `make up` for a stack with its own devnet.
 * @throws Error if the stack or the user's variables are of another chain
 */
export const openStack = async (report: (line: string) => void): Promise<Stack> => {
  const stateDir = stateDirOf(process.env);
  const settings = settingsOfDemo(stateDir, process.env, existsSync(ENV_FILE));
  const stack = createStack(stateDir, settings);
  saveSettings(stateDir, settings);
  await bringUp(stack, { isServersOnly: false, report });
  return stack;
};

const ACCOUNT = 'demo@example.org';

/**
 * Creates an API key like `make key TIER=pro NAME=demo ACCOUNT=demo@example.org`, and a link that opens its account.
 */
const createKey = async (stack: Stack): Promise<{ key: string; link: string }> => {
  const { code, stdout, stderr } = await runProgram({
    program: 'dist/api/accounts/createKey.js',
    env: { ...stack.roleEnvironment, TIER: 'pro', NAME: 'demo', ACCOUNT },
    timeoutMs: CREATE_KEY_TIMEOUT_MS,
  });
  const key = stdout.trim().split('\n').at(-1) ?? '';
  const link = /^http\S+\/dashboard\/enter\S+$/m.exec(stderr)?.[0];
  if (code !== 0 || !KEY.test(key) || link === undefined)
    throw new Error(`no API key was made: ${stderr.trim()}`);
  return { key, link };
};

// The demo: node --import tsx deploy/demo/demo.ts, see `make help`. Leaves the stack running.

/**
 * Variables that the next command needs to find this stack; recorded before `.env` is read, which later commands read
 * themselves.
 */
const repeated = variablesToRepeat(process.env);
loadEnvFile();

/** Duration without the installation of packages and servers. */
const DEMO_TIMEOUT_MS = 170_000;
const describeAccess = (
  baseUrl: string,
  { key, link }: { key: string; link: string },
  { acts, ring: { play, shown } }: Outcome,
): string => {
  const curl = `curl -s -H 'X-API-Key: ${key}' ${baseUrl}`;
  const token = acts.at(-1)?.token.address ?? '';
  return [
    `API    ${baseUrl}`,
    `docs   ${baseUrl}/docs  ${baseUrl}/redoc  ${baseUrl}/openapi.json`,
    `web    ${baseUrl}/  look anything up, without an account`,
    `yours  ${link}  the watchlist and its alert; opens once`,
    `key    ${key}`,
    `token  ${curl}/tokens/${token}`,
    ...(shown.kind === 'found' ? [`ring   ${curl}/clusters/${shown.value.id}`] : []),
    `graph  ${curl}/tokens/${play.tokens[0]?.address ?? token}/network`,
    `The stack runs until \`make down${repeated}\`.`,
  ].join('\n');
};

const main = async (): Promise<void> => {
  say('starting the stack');
  const stack = await openStack(say);
  const { key, link } = await createKey(stack);
  const api = openApi({ baseUrl: stack.apiUrl, key });
  const devnet = await createDevnet({ url: stack.rpcUrl });
  const ask = (sql: string) =>
    queryRows(
      stack.analystUrl ?? stack.clickhouseUrl,
      sql,
      SQL_TIMEOUT_MS,
      'TabSeparatedWithNames',
    );
  const isFirst = await isUntouched(ask);
  const zoo = await playHour(devnet, api);
  const acts = await playLastActs(devnet, api, zoo);
  const outcome = { ...acts, ring: await showRing(devnet, api) };

  console.log(`\n${verdictTable(outcome)}`);
  console.log("ms: from the receipt of the token's last transaction to its verdict in the API\n");
  console.log(`${describeAlert(outcome)}\n`);
  console.log(`${describeRing(outcome)}\n`);
  const baseUrl = stack.roleEnvironment['BASE_URL'] ?? stack.apiUrl;
  console.log(`${describeAccess(baseUrl, { key, link }, outcome)}\n`);
  assertComplete(missingParts(outcome));
  if (!isFirst) {
    say('all verdicts, the alert and the ring arrived, beside those of earlier demos');
    return;
  }
  const { answered, problems } = await askQuestions(outcome.ring.play, ask);
  assertComplete(problems);
  say(
    `all verdicts, the alert and the ring arrived; ${answered} questions in SQL are answered as they should be`,
  );
};

try {
  await installServers();
  const overdue = setTimeout(() => {
    console.error(`the demo took longer than ${DEMO_TIMEOUT_MS / 1_000} s: see \`make logs\``);
    process.exit(1);
  }, DEMO_TIMEOUT_MS);
  await main().finally(() => clearTimeout(overdue));
} catch (error) {
  // The full message of viem is a page about the call.
  if (error instanceof BaseError) {
    console.error(`the devnet: ${error.shortMessage} ${error.details} See make status${repeated}`);
  } else console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
