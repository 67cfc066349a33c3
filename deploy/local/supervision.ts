import { existsSync, readFileSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { z } from 'zod';
import type { Processes } from './processes.ts';

/** Starts within `RESTART_WINDOW_MS` after which a part that exits again is given up. */
export const RESTARTS_MAX = 7;
const RESTART_WINDOW_MS = 300_000;
/** Delay before the first restart; each further one within the window waits twice as long. */
const FIRST_DELAY_MS = 100;
/** Delay before a restart while the disk is full: nothing can start then, so these restarts do not count. */
const FULL_DISK_DELAY_MS = 5_000;
/** Free bytes below which the disk of the state directory counts as full. */
const FREE_BYTES_MIN = 1_048_576;
const STOP_GRACE_MS = 1_000;

/** The supervisor among the processes of a stack. */
export const SUPERVISOR = 'supervisor';

/**
 * Milliseconds from the exit of a part to its next start.
 * @param restartsMs times of earlier restarts.
 * @returns undefined if it is given up.
 */
export const restartDelayMs = (
  restartsMs: readonly number[],
  nowMs: number,
  isFull = false,
): number | undefined => {
  if (isFull) return FULL_DISK_DELAY_MS;
  const recent = restartsMs.filter((ms) => nowMs - ms < RESTART_WINDOW_MS).length;
  return recent < RESTARTS_MAX ? FIRST_DELAY_MS * 2 ** recent : undefined;
};

/** Whether there is no room left for what runs: servers exit then, and pid files and notes cannot be written. */
export const isDiskFull = (stateDir: string): boolean => {
  const { bavail, bsize } = statfsSync(stateDir);
  return bavail * bsize < FREE_BYTES_MIN;
};

const noteSchema = z.object({
  /** Why the part does not run, while it does not. */
  problem: z.string().optional(),
  /** Whether it will not be restarted. */
  isGivenUp: z.boolean(),
  restarts: z.number().int().nonnegative(),
});

/** What the supervisor recorded of a part that exited at least once. */
export type Note = z.infer<typeof noteSchema>;

const notesFile = (stateDir: string): string => join(stateDir, 'supervisor.json');

/** Writes what `make status` shows. */
export const writeNotes = (stateDir: string, notes: ReadonlyMap<string, Note>): void => {
  const draft = `${notesFile(stateDir)}.draft`;
  writeFileSync(draft, JSON.stringify(Object.fromEntries(notes)), { mode: 0o600 });
  renameSync(draft, notesFile(stateDir));
};

/** The last notes of the supervisor, by part. */
export const readNotes = (stateDir: string): Readonly<Record<string, Note>> => {
  const file = notesFile(stateDir);
  if (!existsSync(file)) return {};
  return z.record(noteSchema).parse(JSON.parse(readFileSync(file, 'utf8')));
};

/** Starts the supervisor of what runs. */
export const startSupervisor = (stateDir: string, processes: Processes): void => {
  const extension = extname(import.meta.filename);
  const program = join(import.meta.dirname, `supervisor${extension}`);
  const loader = extension === '.ts' ? ['--import', import.meta.resolve('tsx')] : [];
  const args = [...loader, program, stateDir];
  processes.start(SUPERVISOR, { command: process.execPath, args, env: {} }, '');
};

/** Stops the supervisor, so that parts may be stopped, and deletes its notes. */
export const stopSupervisor = async (stateDir: string, processes: Processes): Promise<void> => {
  await processes.stop(SUPERVISOR, STOP_GRACE_MS);
  rmSync(notesFile(stateDir), { force: true });
};
