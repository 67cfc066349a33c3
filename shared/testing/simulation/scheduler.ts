import type { Clock } from '../../platform/clock.ts';
import type { Random } from './random.ts';

/** One run of a process. When it has been killed, none of its pending work ever goes on. */
export interface Life {
  readonly role: string;
  isAlive: boolean;
}

/** What may go wrong at one input or output: before it took effect, or after. */
export type Trouble = 'none' | 'failsBefore' | 'failsAfter' | 'diesBefore' | 'diesAfter';

/**
 * Decides which pending step of which process goes on next, by the seed alone: every input and output
 * of the simulated processes waits here, before it takes effect and before its answer is seen.
 */
export interface Scheduler {
  /** Waits for its turn; for ever once the life has ended. */
  pause(life: Life): Promise<void>;
  /** One input or output with all the trouble of the moment. `failure` makes the error it may end with. */
  io<T>(life: Life, failure: () => Error, effect: () => T): Promise<T>;
  /** Whether something goes wrong now that no `io` decides. */
  troubles(): boolean;
  /** Lets one waiting step go on. False: nothing waits. */
  step(): Promise<boolean>;
  /** Stops failures and deaths from now on. */
  calm(): void;
  clock(life: Life): Clock;
}

/** Virtual milliseconds of one step. */
const STEP_MS = 5;
const START_MS = 1_700_000_000_000;

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = (): Promise<never> => new Promise(() => undefined);

/** @param troubleOneIn once in how many inputs and outputs something goes wrong. */
export const createScheduler = (random: Random, troubleOneIn: number): Scheduler => {
  let waiting: { readonly life: Life; readonly resume: () => void }[] = [];
  let nowMs = START_MS;
  let isCalm = false;

  const pause = (life: Life): Promise<void> =>
    new Promise((resume) => {
      if (life.isAlive) waiting.push({ life, resume });
    });
  const draw = (): Trouble => {
    if (isCalm || !random.oneIn(troubleOneIn)) return 'none';
    return random.pick(['failsBefore', 'failsAfter', 'diesBefore', 'diesAfter'] as const);
  };
  const die = (life: Life): Promise<never> => {
    life.isAlive = false;
    return never();
  };

  return {
    pause,
    io: async (life, failure, effect) => {
      if (!life.isAlive) return never();
      const trouble = draw();
      await pause(life);
      if (trouble === 'diesBefore') return die(life);
      if (trouble === 'failsBefore') throw failure();
      const result = effect();
      if (trouble === 'diesAfter') return die(life);
      await pause(life);
      if (trouble === 'failsAfter') throw failure();
      return result;
    },
    troubles: () => draw() !== 'none',
    step: async () => {
      waiting = waiting.filter(({ life }) => life.isAlive);
      if (waiting.length === 0) return false;
      const [next] = waiting.splice(random.below(waiting.length), 1);
      nowMs += STEP_MS;
      next?.resume();
      // All that follows without another input or output happens before the next step.
      await immediate();
      return true;
    },
    calm: () => {
      isCalm = true;
    },
    clock: (life) => ({ now: () => nowMs, sleep: () => pause(life) }),
  };
};
