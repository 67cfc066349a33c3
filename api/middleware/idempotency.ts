import type { BodyReply } from '../endpoint.ts';

/** A stored answer. */
export type StoredReply = Required<Pick<BodyReply<unknown>, 'status' | 'body' | 'headers'>>;

/** What is known of an idempotency key. */
export type Replay =
  | { kind: 'new' }
  | { kind: 'replay'; reply: StoredReply }
  | { kind: 'running' }
  | { kind: 'mismatch' };

/** Answers kept so that a repeated request has no second effect. */
export interface Idempotency {
  /** Claims the scope, or tells what became of an earlier request with it. */
  begin(scope: string, bodyHash: string): Promise<Replay>;
  finish(scope: string, bodyHash: string, reply: StoredReply): Promise<void>;
  /** Frees the scope after a failure: the client may try again. */
  abandon(scope: string): Promise<void>;
}
