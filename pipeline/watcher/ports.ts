import { RetryableError } from '../../shared/platform/errors.ts';
import type { MessageHeaders } from './messageHeaders.ts';

/** The size of a chain's stream. */
interface StreamInfo {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly messages: number;
  readonly bytes: number;
  readonly bytesMax: number;
}

/** One message for the stream. */
export interface StreamMessage {
  readonly id: string;
  readonly headers: MessageHeaders;
  readonly data: Uint8Array;
}

/** Why the stream did not accept a message. */
export type AppendFailure = 'wrongLastSequence' | 'full' | 'unavailable';

/** The chain's stream. Everything but `append` throws RetryableError while it is unavailable. */
export interface ChainStream {
  info(): Promise<StreamInfo>;
  /**
   * Appends a message after `expectedLastSeq`. Calls may overlap; they arrive in order.
   * @param expectedLastId the preceding message's id, needed if that message may be unconfirmed: another publisher's
   * message can have the same sequence
   * @throws AppendError
   */
  append(
    message: StreamMessage,
    expectedLastSeq: number,
    expectedLastId?: string,
  ): Promise<{ seq: number }>;
  /** Headers of all messages from `seq` on, in order. */
  headersFrom(seq: number): Promise<MessageHeaders[]>;
  /** Sequence up to which every reader has acknowledged; null while one of them does not exist. */
  readersFloor(): Promise<number | null>;
  /** Removes messages up to and including `seq`. */
  purge(seq: number): Promise<void>;
}

/**
 * The stream did not accept a message: `wrongLastSequence` another publisher or a lost tail, `full` its readers are
 * behind, `unavailable` no answer in time (the message may have been stored).
 */
export class AppendError extends RetryableError {
  readonly failure: AppendFailure;

  constructor(failure: AppendFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** The stream contains something else than was published: its reader must start over from it. */
export class StreamMovedError extends RetryableError {}
