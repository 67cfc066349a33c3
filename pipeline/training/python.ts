import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const PYTHON_TIMEOUT_MS = 1_800_000;

/** Runs a command on this terminal. @throws Error if it fails or takes too long. */
export const runProgram = (command: string, args: readonly string[]): void => {
  execFileSync(command, args, { stdio: 'inherit', timeout: PYTHON_TIMEOUT_MS });
};

/** Python with the pinned packages in its own virtual environment, created if absent. */
export const preparePython = (folder: string): string => {
  const python = join(folder, 'bin', 'python');
  if (!existsSync(python)) runProgram('python3', ['-m', 'venv', folder]);
  const requirements = join(import.meta.dirname, 'requirements.txt');
  runProgram(python, ['-m', 'pip', 'install', '--quiet', '--no-deps', '-r', requirements]);
  return python;
};
