import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import {
  createStack,
  readSettings,
  type Stack,
  saveSettings,
  stateDirOf,
} from '../local/environment.ts';
import { bringUp } from '../local/lifecycle.ts';
import { runProgram } from '../local/runCommand.ts';
import { natsServer, redisServer, setpriv } from '../local/serverBinaries.ts';

const CREATE_KEY_TIMEOUT_MS = 20_000;
const KEY = /^\S+$/;

/** Installs the servers that are missing: takes as long as the network needs, so it is not timed. */
export const installServers = async (): Promise<void> => {
  await natsServer();
  await redisServer();
  await setpriv();
};

/**
 * Does what `make up` does, for a stack with its own devnet.
 * @throws Error when the user's variables point the stack at another chain
 */
export const openStack = async (report: (line: string) => void): Promise<Stack> => {
  const envFile = join(projectRoot(), '.env');
  if (existsSync(envFile)) process.loadEnvFile(envFile);
  const settings = readSettings(process.env);
  if (settings.RPC_URL !== undefined) {
    throw new Error('RPC_URL is set, but the demo plays on a devnet of its own: unset it');
  }
  const stateDir = stateDirOf(process.env);
  const stack = createStack(stateDir, settings);
  saveSettings(stateDir, settings);
  await bringUp(stack, { isServersOnly: false, report });
  return stack;
};

/** Makes an API key as `make key TIER=pro NAME=demo` does. */
export const createKey = async (stack: Stack): Promise<string> => {
  const { code, stdout, stderr } = await runProgram({
    program: 'dist/api/accounts/createKey.js',
    env: { ...stack.roleEnvironment, TIER: 'pro', NAME: 'demo' },
    timeoutMs: CREATE_KEY_TIMEOUT_MS,
  });
  const key = stdout.trim().split('\n').at(-1) ?? '';
  if (code !== 0 || !KEY.test(key)) throw new Error(`no API key was made: ${stderr.trim()}`);
  return key;
};
