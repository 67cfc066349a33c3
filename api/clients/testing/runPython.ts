import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { python } from '../../../deploy/local/serverBinaries.ts';

const execute = promisify(execFile);
const PYTHON_MS_MAX = 120_000;

/** Runs a program in Python with the client on its path; resolves with what it printed. */
export const runPython = async (program: string, ...args: string[]): Promise<string> => {
  const binary = await python();
  const env = {
    ...process.env,
    ...binary.env,
    PYTHONPATH: join(import.meta.dirname, '../python'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const { stdout } = await execute(binary.path, [...binary.args, '-c', program, ...args], {
    env,
    timeout: PYTHON_MS_MAX,
  });
  return stdout.trim();
};
