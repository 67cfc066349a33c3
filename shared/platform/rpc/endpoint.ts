import pLimit from 'p-limit';
import type { BlockRef } from '../../chain/block.ts';
import type { Clock } from '../clock.ts';
import { slicesOf } from '../slicesOf.ts';
import type { HttpAnswer, HttpPost } from './httpPost.ts';
import {
  BatchRefused,
  encodeCalls,
  type RpcCall,
  type RpcOutcome,
  readOutcomes,
} from './jsonRpc.ts';
import { meterCalls, type NodeMeter } from './meterCalls.ts';
import { RpcError, type RpcFailure, SIZE_SUSPECTS } from './rpcError.ts';

/** Maximum concurrent requests to one node. Halved when it limits our rate. */
const REQUESTS_MAX = 8;
/** Consecutive good answers after which one more concurrent request is allowed. */
const ANSWERS_TO_GROW = 20;
const BACKOFF_MS_MIN = 100;
const BACKOFF_MS_MAX = 10_000;
/** Weight of the newest answer in the moving averages. */
const WEIGHT = 0.2;
/** Latency in milliseconds that a failure rate of 100 % counts as. */
const FAILURE_COST_MS = 5_000;

/**
 * Quality of one node, and how many concurrent requests it supports. Additive increase, multiplicative decrease;
 * averages decay.
 */
const createEndpointHealth = (clock: Clock) => {
  const limit = pLimit(REQUESTS_MAX);
  let latencyMs = 0;
  let failureRate = 0;
  let failuresInRow = 0;
  let answersInRow = 0;
  let restUntil = 0;
  return {
    /** Runs a request once a slot is free. */
    limit,
    penalize: (failure: RpcError): void => {
      failureRate += WEIGHT * (1 - failureRate);
      answersInRow = 0;
      if (failure.failure === 'rateLimited') {
        limit.concurrency = Math.max(1, Math.floor(limit.concurrency / 2));
      }
      failuresInRow += 1;
      const backoff = Math.min(BACKOFF_MS_MIN * 2 ** (failuresInRow - 1), BACKOFF_MS_MAX);
      restUntil = clock.now() + (failure.waitMs ?? backoff);
    },
    /** Other nodes are preferred, but this one stays in use. */
    doubt: (): void => {
      failureRate += WEIGHT * (1 - failureRate);
    },
    praise: (tookMs: number): void => {
      failureRate *= 1 - WEIGHT;
      failuresInRow = 0;
      latencyMs += WEIGHT * (tookMs - latencyMs);
      answersInRow += 1;
      if (answersInRow % ANSWERS_TO_GROW === 0) {
        limit.concurrency = Math.min(REQUESTS_MAX, limit.concurrency + 1);
      }
    },
    /** Expected cost of asking it, milliseconds. */
    score: () => latencyMs + failureRate * FAILURE_COST_MS,
    /** Unix milliseconds before which it should not be asked. */
    restUntilMs: () => restUntil,
  };
};

/** Maximum calls per batch: providers refuse around a hundred. */
const BATCH_CALLS_MAX = 100;

/** Time limit in milliseconds for a request that could be split. */
const PIECE_TIMEOUT_MS = 8_000;
/**
 * A node that gives no usable answer to a large request is treated as asking for a smaller one, not as failed.
 */
const askForLess = (error: unknown): unknown =>
  error instanceof RpcError && SIZE_SUSPECTS.has(error.failure)
    ? new RpcError('rangeTooLarge', error.endpoint, error.message)
    : error;

/** One node: its limits, its quality, and what it does not support. */
export interface Endpoint {
  readonly name: string;
  /**
   * Sends calls as one batch, or one by one if the node accepts no batches.
   * @param options `isDivisible`: the request can be split; a node that cannot answer it whole stays in use
   * @throws RpcError `rangeTooLarge` if a divisible request got no usable answer
   */
  call(
    calls: readonly RpcCall[],
    options?: { readonly isDivisible: boolean },
  ): Promise<RpcOutcome[]>;
  /** Expected cost of asking it, milliseconds: lower is better. */
  score(): number;
  /** Unix milliseconds before which it should not be asked. */
  restUntilMs(): number;
  /** Records an unusable answer, so that other nodes are preferred. */
  penalize(failure: RpcError): void;
  /** Highest block it has reported. */
  height: number;
  /** False once it answered that it does not support `eth_getBlockReceipts`. */
  hasBlockReceipts: boolean;
  /** The block it last called final, null if it reports none, and when it was asked, Unix milliseconds. */
  finalized: { readonly block: BlockRef | null; readonly atMs: number };
  close(): void;
}

/**
 * HTTP statuses for a request that asked for too much, or for too many requests; any other failure is the node's own.
 */
const STATUS_FAILURES: Readonly<Record<number, RpcFailure>> = {
  408: 'incomplete',
  413: 'answerTooLarge',
  429: 'rateLimited',
  504: 'incomplete',
};

const failureOfStatus = (name: string, { status, retryAfterMs: waitMs }: HttpAnswer): RpcError =>
  new RpcError(STATUS_FAILURES[status] ?? 'unreachable', name, `HTTP ${status}`, waitMs);

interface EndpointParts {
  readonly http: HttpPost;
  readonly clock: Clock;
  readonly meter?: NodeMeter | undefined;
  readonly pieceTimeoutMs?: number;
}

/** Wraps one node's HTTP connection with limits and a record of its behaviour. */
export const createEndpoint = ({
  http,
  clock,
  meter,
  pieceTimeoutMs = PIECE_TIMEOUT_MS,
}: EndpointParts): Endpoint => {
  const health = createEndpointHealth(clock);
  let nextId = 1;
  let takesBatches = true;

  const exchangeOnce = async (
    calls: readonly RpcCall[],
    timeoutMs?: number,
  ): Promise<RpcOutcome[]> => {
    const firstId = nextId;
    nextId += calls.length;
    const startedMs = clock.now();
    const answer = await http.post(encodeCalls(calls, firstId), timeoutMs);
    if (answer.status === 429 || answer.status >= 500) throw failureOfStatus(http.name, answer);
    try {
      const outcomes = readOutcomes(answer.body, firstId, calls.length, http.name);
      health.praise(clock.now() - startedMs);
      return outcomes;
    } catch (error) {
      if (answer.status === 200 || error instanceof BatchRefused) throw error;
      throw failureOfStatus(http.name, answer);
    }
  };

  const exchange = meter ? meterCalls(exchangeOnce, http.name, clock, meter) : exchangeOnce;

  const send = (calls: readonly RpcCall[], isDivisible: boolean): Promise<RpcOutcome[]> =>
    health.limit(async () => {
      try {
        return await exchange(calls, isDivisible ? pieceTimeoutMs : undefined);
      } catch (failure) {
        const error = isDivisible ? askForLess(failure) : failure;
        if (error !== failure) health.doubt();
        else if (error instanceof RpcError) health.penalize(error);
        throw error;
      }
    });

  const call: Endpoint['call'] = async (calls, { isDivisible } = { isDivisible: false }) => {
    const sendEach = async (): Promise<RpcOutcome[]> =>
      (await Promise.all(calls.map((one) => send([one], isDivisible)))).flat();
    if (calls.length === 0) return [];
    if (!takesBatches) return sendEach();
    try {
      const slices = slicesOf(calls, BATCH_CALLS_MAX);
      return (await Promise.all(slices.map((slice) => send(slice, isDivisible)))).flat();
    } catch (error) {
      if (!(error instanceof BatchRefused)) throw error;
      takesBatches = false;
      return sendEach();
    }
  };

  return {
    name: http.name,
    call,
    score: () => health.score(),
    restUntilMs: () => health.restUntilMs(),
    penalize: (failure) => health.penalize(failure),
    height: 0,
    hasBlockReceipts: true,
    finalized: { block: null, atMs: -Infinity },
    close: () => http.close(),
  };
};
