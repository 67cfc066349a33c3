import type { Clock } from '../../../shared/platform/clock.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import type { TradeSimulation } from '../checks/checkInput.ts';
import type { Simulations } from './simulations.ts';

const MINUTE_MS = 60_000;
const LIMITED: TradeSimulation = { kind: 'unknown', reason: sentence('simulationsLimited') };

export interface SimulationLimitPorts extends Simulations {
  /** Maximum tokens per minute whose trades, or whose holders' sales, are simulated. */
  readonly perMinuteMax: number;
  /** Receives the number of tokens left out. */
  readonly count: (tokens: number) => void;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Limits the cost of simulated trades per minute, which otherwise anyone who launches tokens could drive up. Tokens
 * beyond the limit are `unknown`, and are simulated when they are scored again: at their next event or age. A token
 * whose holders' sales are simulated too counts twice.
 */
export const limitSimulations = (ports: SimulationLimitPorts): Simulations => {
  const { simulate, tryHolders, perMinuteMax, count, clock, logger } = ports;
  let room = perMinuteMax;
  let filledMs = clock.now();
  let warnedMs = Number.NEGATIVE_INFINITY;

  const refill = (): void => {
    const nowMs = clock.now();
    room = Math.min(
      perMinuteMax,
      room + (Math.max(0, nowMs - filledMs) * perMinuteMax) / MINUTE_MS,
    );
    filledMs = nowMs;
  };
  const report = (left: number): void => {
    count(left);
    if (clock.now() - warnedMs < MINUTE_MS) return;
    warnedMs = clock.now();
    logger.warn(
      { left, perMinuteMax },
      'simulations limited: the sales of some tokens are not tried until they are scored again (SIMULATIONS_PER_MINUTE_MAX)',
    );
  };

  /** Those of `wanted` that fit within the limit. */
  const admit = <T>(wanted: readonly T[]): readonly T[] => {
    refill();
    const admitted = wanted.slice(0, Math.floor(room));
    room -= admitted.length;
    if (admitted.length < wanted.length) report(wanted.length - admitted.length);
    return admitted;
  };

  return {
    simulate: async (requests, head) => {
      const outcomes = await simulate(admit(requests), head);
      return requests.map((_, i) => outcomes[i] ?? LIMITED);
    },
    tryHolders: async (held, head) => {
      const outcomes = await tryHolders(admit(held), head);
      return held.map((_, i) => outcomes[i]);
    },
  };
};
