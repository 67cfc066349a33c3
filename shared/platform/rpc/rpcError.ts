import { RetryableError } from '../errors.ts';

/**
 * What went wrong with a node: `unreachable` (no answer: connection, HTTP status), `incomplete` (the answer was
 * cut off, or not whole in time), `rateLimited`, `answer` (an answer that cannot be true or read), `behind` (the node lacks what was
 * asked), `methodMissing`, `rangeTooLarge` (ask for fewer
 * blocks), `answerTooLarge` (more bytes than we take, or than a node lets pass), `node` (any other error of it).
 */
export type RpcFailure =
  | 'unreachable'
  | 'incomplete'
  | 'rateLimited'
  | 'answer'
  | 'behind'
  | 'methodMissing'
  | 'rangeTooLarge'
  | 'answerTooLarge'
  | 'node';

/** A node failed for now. Names the node by host only: its URL may hold a key. */
export class RpcError extends RetryableError {
  readonly failure: RpcFailure;
  readonly endpoint: string;
  /** Milliseconds the node asks to wait, where it says so. */
  readonly waitMs: number | undefined;

  constructor(failure: RpcFailure, endpoint: string, detail: string, waitMs?: number) {
    super(`node ${endpoint}: ${detail}`);
    this.failure = failure;
    this.endpoint = endpoint;
    this.waitMs = waitMs;
  }
}

/** Failures of a request that may have asked for too much, where the node does not say so. */
export const SIZE_SUSPECTS: ReadonlySet<string> = new Set<RpcFailure>([
  'incomplete',
  'answer',
  'answerTooLarge',
  'node',
]);
