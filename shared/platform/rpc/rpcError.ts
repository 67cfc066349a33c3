import { RetryableError } from '../errors.ts';

/**
 * What went wrong with a node: `unreachable` (no answer: connection, HTTP status), `incomplete` (the answer was cut
 * off, or not complete in time), `rateLimited`, `answer` (an impossible or unreadable answer), `behind` (the node
 * lacks the requested block), `methodMissing`, `rangeTooLarge` (request fewer blocks), `answerTooLarge` (more bytes
 * than our limit or the node's), `node` (any other error from it).
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

/** A node failed temporarily. Identifies the node by host only, because its URL may contain a key. */
export class RpcError extends RetryableError {
  readonly failure: RpcFailure;
  readonly endpoint: string;
  /** Milliseconds that the node asks to wait, if it says so. */
  readonly waitMs: number | undefined;

  constructor(failure: RpcFailure, endpoint: string, detail: string, waitMs?: number) {
    super(`node ${endpoint}: ${detail}`);
    this.failure = failure;
    this.endpoint = endpoint;
    this.waitMs = waitMs;
  }
}

/** Failures of a request that may have asked for too much, if the node does not say so. */
export const SIZE_SUSPECTS: ReadonlySet<string> = new Set<RpcFailure>([
  'incomplete',
  'answer',
  'answerTooLarge',
  'node',
]);
