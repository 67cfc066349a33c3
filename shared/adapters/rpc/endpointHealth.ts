import type { Clock } from '../../runtime/clock.ts';
import type { RpcError } from './rpcError.ts';

/** Requests under way at one node, at the most. Halved when it says we are too many. */
const REQUESTS_MAX = 8;
/** Good answers in a row after which one more request may be under way. */
const ANSWERS_TO_GROW = 20;
const BACKOFF_MS_MIN = 100;
const BACKOFF_MS_MAX = 10_000;
/** Weight of the newest answer in the averages. */
const WEIGHT = 0.2;
/** Milliseconds of latency that one failure in every answer weighs. */
const FAILURE_COST_MS = 5_000;

/** How one node does, and how many requests it bears. */
export interface EndpointHealth {
  /** Waits for a place among the requests under way. */
  enter(): Promise<void>;
  leave(): void;
  praise(tookMs: number): void;
  penalize(failure: RpcError): void;
  /** Expected cost of asking it, milliseconds. */
  score(): number;
  /** Unix milliseconds before which it should be left alone. */
  restUntilMs(): number;
}

/** A bounded number of holders; others wait in order. */
const createGate = () => {
  const waiting: (() => void)[] = [];
  let held = 0;
  let limit = REQUESTS_MAX;
  const admit = (): void => {
    while (held < limit && waiting.length > 0) {
      held += 1;
      waiting.shift()?.();
    }
  };
  return {
    enter: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        admit();
      }),
    leave: () => {
      held -= 1;
      admit();
    },
    halve: () => {
      limit = Math.max(1, Math.floor(limit / 2));
    },
    grow: () => {
      limit = Math.min(REQUESTS_MAX, limit + 1);
      admit();
    },
  };
};

/** Additive increase, multiplicative decrease; averages forget old failures. */
export const createEndpointHealth = (clock: Clock): EndpointHealth => {
  const gate = createGate();
  let latencyMs = 0;
  let failureRate = 0;
  let failuresInRow = 0;
  let answersInRow = 0;
  let restUntil = 0;
  return {
    enter: () => gate.enter(),
    leave: () => gate.leave(),
    penalize: (failure) => {
      failureRate += WEIGHT * (1 - failureRate);
      answersInRow = 0;
      if (failure.failure === 'rateLimited') gate.halve();
      failuresInRow += 1;
      const backoff = Math.min(BACKOFF_MS_MIN * 2 ** (failuresInRow - 1), BACKOFF_MS_MAX);
      restUntil = clock.now() + (failure.waitMs ?? backoff);
    },
    praise: (tookMs) => {
      failureRate *= 1 - WEIGHT;
      failuresInRow = 0;
      latencyMs += WEIGHT * (tookMs - latencyMs);
      answersInRow += 1;
      if (answersInRow % ANSWERS_TO_GROW === 0) gate.grow();
    },
    score: () => latencyMs + failureRate * FAILURE_COST_MS,
    restUntilMs: () => restUntil,
  };
};
