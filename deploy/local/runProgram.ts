import { join } from 'node:path';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { type CommandResult, runCommand } from './runCommand.ts';

/** Runs a built program of the project (`dist/…`) with a stack's environment to its end. */
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
