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

/** Requests under way at one node, at the most. Halved when it limits our rate. */
const REQUESTS_MAX = 8;
/** Good answers in a row after which one more request may be under way. */
const ANSWERS_TO_GROW = 20;
const BACKOFF_MS_MIN = 100;
const BACKOFF_MS_MAX = 10_000;
/** Weight of the newest answer in the averages. */
const WEIGHT = 0.2;
/** Milliseconds of latency that one failure in every answer weighs. */
const FAILURE_COST_MS = 5_000;

/** How one node does, and how many requests it bears. Additive increase, multiplicative decrease; averages decay. */
const createEndpointHealth = (clock: Clock) => {
  const limit = pLimit(REQUESTS_MAX);
  let latencyMs = 0;
  let failureRate = 0;
  let failuresInRow = 0;
  let answersInRow = 0;
  let restUntil = 0;
  return {
    /** Runs a request once it is among the requests that may be under way. */
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
    /** Others are asked first, but it is not left alone. */
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
    /** Unix milliseconds before which it should be left alone. */
    restUntilMs: () => restUntil,
  };
};

/** Calls in one batch, at the most: providers refuse around a hundred. */
const BATCH_CALLS_MAX = 100;

/** Milliseconds that a node may take for what it may take in smaller pieces. */
const PIECE_TIMEOUT_MS = 8_000;
/** What a node answers in no usable way where it was asked for much: said as a request for less, not as a failure of the node. */
const askForLess = (error: unknown): unknown =>
  error instanceof RpcError && SIZE_SUSPECTS.has(error.failure)
    ? new RpcError('rangeTooLarge', error.endpoint, error.message)
    : error;

/** One node: its limits, how well it does, and what it cannot do. */
export interface Endpoint {
  readonly name: string;
  /**
   * Sends calls as one batch, or one by one where the node takes no batches.
   * @param options `isDivisible`: they can be asked for in smaller pieces; a node that does not manage them whole is not left alone for a while
   * @throws RpcError `rangeTooLarge` where a divisible request got no usable answer
   */
  call(
    calls: readonly RpcCall[],
    options?: { readonly isDivisible: boolean },
  ): Promise<RpcOutcome[]>;
  /** Expected cost of asking it, milliseconds: lower is better. */
  score(): number;
  /** Unix milliseconds before which it should be left alone. */
  restUntilMs(): number;
  /** Marks an unusable answer, so that other nodes are preferred. */
  penalize(failure: RpcError): void;
  /** Highest block it has shown. */
  height: number;
  /** False once it answered that it has no `eth_getBlockReceipts`. */
  hasBlockReceipts: boolean;
  /** The block it called final last, null where it knows none, and when it was asked, Unix milliseconds. */
  finalized: { readonly block: BlockRef | null; readonly atMs: number };
  close(): void;
}

/** What HTTP says of a request that asked for too much, or of too many; any other failure is one of the node. */
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

/** Wraps one node's HTTP connection in limits and memory of how it behaves. */
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
