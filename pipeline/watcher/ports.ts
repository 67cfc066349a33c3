import type { BlockHeader, BlockRef, Hex } from '../../shared/chain/block.ts';
import type { VerifiedBlock, VerifiedRange } from '../../shared/decode/rawBlock.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import type { MessageHeaders } from './messageHeaders.ts';

/** What one node showed of its head. */
export interface HeadReading {
  readonly head: BlockHeader;
  /** The block that this node calls final; null where it knows no such thing. */
  readonly finalized: BlockRef | null;
  /** Linked blocks from the asked height on; empty where the node has none. */
  readonly blocks: readonly VerifiedBlock[];
  /** Which node it was. */
  readonly endpoint: string;
}

/** Where blocks come from. Answers are cross-checked; failures are RetryableErrors. */
export interface ChainSource {
  /** The head, and up to `count` full blocks from `next` on, all as one node sees them. */
  follow(next: number, count: number): Promise<HeadReading>;
  /** A header by hash. */
  header(id: Hex | number): Promise<BlockHeader>;
  /** The logs of final blocks. An error with `failure: 'rangeTooLarge'` asks for fewer blocks. */
  range(from: number, to: number): Promise<VerifiedRange>;
  /** Full blocks, linked to one another. */
  blocks(from: number, to: number): Promise<VerifiedBlock[]>;
}

/** How much a chain's stream holds. */
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

/** Why the stream did not take a message. */
export type AppendFailure = 'wrongLastSequence' | 'full' | 'unavailable';

/** The chain's stream. Everything but `append` throws RetryableError when it is away. */
export interface ChainStream {
  info(): Promise<StreamInfo>;
  /**
   * Appends a message behind `expectedLastSeq`. Calls may overlap; they arrive in order.
   * @param expectedLastId the message that must be there, where it may not have been confirmed yet: another publisher's has its sequence too
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
 * The stream did not take a message: `wrongLastSequence` another publisher or a lost tail, `full`
 * its readers are behind, `unavailable` no answer in time (the message may have been stored).
 */
export class AppendError extends RetryableError {
  readonly failure: AppendFailure;

  constructor(failure: AppendFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** The stream holds something else than was published: its reader must start over from it. */
export class StreamMovedError extends RetryableError {}
