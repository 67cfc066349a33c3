import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { projectRoot } from '../../shared/platform/projectRoot.ts';

/** How a finished command ended; `code` is undefined when it could not start or was killed. */
export type CommandResult = { code: number | undefined; stdout: string; stderr: string };

/** Options of a command besides its arguments. */
export type CommandOptions = {
  timeoutMs: number;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
};

/** Runs a command to its end and collects its output; it is killed after its time limit. */
export const runCommand = (
  command: string,
  args: readonly string[],
  { timeoutMs, cwd, env }: CommandOptions,
): Promise<CommandResult> =>
  new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.once('error', (error) => resolve({ code: undefined, stdout, stderr: error.message }));
    child.once('close', (code, signal) => {
      const cut = signal === null ? '' : `\nended by ${signal} (time limit ${timeoutMs / 1_000} s)`;
      resolve({ code: code ?? undefined, stdout, stderr: stderr + cut });
    });
  });

/** Runs a compiled program of the project (`dist/…`) with a stack's environment to its end. */
export const runProgram = (args: {
  program: string;
  env: Record<string, string>;
  timeoutMs: number;
  argv?: readonly string[];
}): Promise<CommandResult> =>
  runCommand(process.execPath, [join(projectRoot(), args.program), ...(args.argv ?? [])], {
    timeoutMs: args.timeoutMs,
    env: { ...process.env, ...args.env },
  });
