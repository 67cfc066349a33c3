import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage } from '../../shared/platform/errors.ts';
import { createLogger } from '../../shared/platform/logger.ts';
import { createStack, savedSettings } from './environment.ts';
import { ifHostLockFree, stackLock } from './hostLock.ts';
import { createFingerprints, LINES_SHOWN, waitForPorts } from './lifecycle.ts';
import { type Part, partsOf } from './parts.ts';
import { createProcesses } from './processes.ts';
import { isDiskFull, type Note, RESTARTS_MAX, restartDelayMs, writeNotes } from './supervision.ts';

// Restarts parts of a stack that exit: supervisor.ts STATE_DIR
// It reads pid files, so it serves parts started by any command, and they outlive it. While a command holds the
// stack's lock nothing is restarted: what exits then was stopped on purpose.

const POLL_MS = 200;
/** The ports of a process are free when its last thread has exited: that takes a large process a moment. */
const PORT_FREE_WAIT_MS = 1_000;

/** A started part, and how often it was restarted. */
type Watched = {
  restarts: number;
  restartsMs: number[];
  dueMs?: number;
  problem?: string;
  isGivenUp: boolean;
};

const [stateDir = ''] = process.argv.slice(2);
const processes = createProcesses(stateDir);
const parts = partsOf(createStack(stateDir, savedSettings(stateDir, {})));
const servers = parts.filter(({ kind }) => kind === 'server');
const logger = createLogger('supervisor', 'info');
const fresh = (): Watched => ({ restarts: 0, restartsMs: [], isGivenUp: false });
/** By part. An exited part that was started by a command has a pid file too. */
const watched = new Map(processes.known().map((name) => [name, fresh()]));

const saveNotes = (): void => {
  const notes = [...watched].map(([name, { restarts, problem, isGivenUp }]): [string, Note] => [
    name,
    { restarts, problem, isGivenUp },
  ]);
  writeNotes(stateDir, new Map(notes));
};

const countRestart = (state: Watched): void => {
  state.restarts += 1;
  state.restartsMs = [...state.restartsMs.slice(1 - RESTARTS_MAX), Date.now()];
};

/** Decides what to do after the exit of a part, or a failed start. */
const plan = (part: Part, state: Watched, cause: string): void => {
  const isFull = isDiskFull(stateDir);
  if (isFull) state.restartsMs = [];
  const delayMs = restartDelayMs(state.restartsMs, Date.now(), isFull);
  const problem = isFull ? `${cause}; no space is left on the disk of ${stateDir}` : cause;
  state.problem = problem;
  if (delayMs === undefined) {
    state.isGivenUp = true;
    const lastLines = processes.lastLines(part.name, LINES_SHOWN);
    logger.error({ part: part.name, problem, lastLines }, 'given up: make up starts it again');
  } else {
    state.dueMs = Date.now() + delayMs;
    logger.warn({ part: part.name, problem, delayMs }, 'to be started again');
  }
  saveNotes();
};

/** Restarts a part; a role only when the servers it needs answer. */
const restart = async (part: Part, state: Watched): Promise<void> => {
  if (part.launch === undefined) return;
  if (part.kind === 'role') {
    const answers = await Promise.all(servers.map((server) => server.isReady()));
    if (!answers.every(Boolean)) return;
  }
  // A failed start may have left it running.
  if (processes.adopt(part.name) !== undefined) return;
  const fail = (problem: string): void => {
    countRestart(state);
    plan(part, state, problem);
  };
  const problem = await waitForPorts(part, PORT_FREE_WAIT_MS);
  if (problem !== undefined) return fail(problem);
  try {
    const launch = await part.launch();
    const { pid } = processes.start(part.name, launch, createFingerprints()(part, launch));
    countRestart(state);
    delete state.dueMs;
    delete state.problem;
    logger.info({ part: part.name, pid }, 'started again');
    saveNotes();
  } catch (error) {
    fail(errorMessage(error));
  }
};

const look = async (part: Part): Promise<void> => {
  const state = watched.get(part.name);
  if (processes.recorded(part.name) !== undefined) {
    if (state !== undefined && state.problem === undefined) return;
    // A command started it.
    watched.set(part.name, fresh());
    saveNotes();
  } else if (state === undefined || state.isGivenUp) {
    return;
  } else if (state.dueMs === undefined) {
    if (processes.adopt(part.name) === undefined) plan(part, state, 'ended');
  } else if (Date.now() >= state.dueMs) {
    await restart(part, state);
  }
};

for (;;) {
  await ifHostLockFree(stackLock(stateDir), async () => {
    const looks = parts.map((part) =>
      look(part).catch((error: unknown) => {
        logger.error({ part: part.name, err: error }, errorMessage(error));
      }),
    );
    await Promise.all(looks);
  });
  await sleep(POLL_MS);
}
