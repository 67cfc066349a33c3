import assert from 'node:assert';
import type { ChainEvent } from '../../shared/chain/chainEvent.ts';
import {
  CHAIN_MESSAGE_BYTES_MAX,
  chainMessageId,
  encodeChainEvent,
} from '../../shared/messages/chainMessage.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { errorMessage, RetryableError } from '../../shared/platform/errors.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import { messageHeaders } from './messageHeaders.ts';
import { AppendError, type ChainStream, type StreamMessage, StreamMovedError } from './ports.ts';

/** Messages kept for a restart, whatever the progress of readers. */
export const KEEP_MESSAGES = 4096;

/**
 * Removes what every reader has acknowledged once the stream is half full. Keeps the messages that a restart reads.
 * Failures are logged: the next attempt follows soon.
 * @returns messages removed.
 */
export const trimStream = async (stream: ChainStream, logger: Logger): Promise<number> => {
  try {
    const { bytes, bytesMax, firstSeq, lastSeq } = await stream.info();
    if (bytesMax <= 0 || bytes * 2 < bytesMax) return 0;
    const floor = await stream.readersFloor();
    if (floor === null) return 0;
    const upTo = Math.min(floor, lastSeq - KEEP_MESSAGES);
    if (upTo < firstSeq) return 0;
    await stream.purge(upTo);
    logger.info({ upTo, bytes }, 'stream trimmed');
    return upTo - firstSeq + 1;
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    logger.warn({ err: error }, `stream not trimmed: ${errorMessage(error)}`);
    return 0;
  }
};

/** Messages between two checks of the stream's size. */
const TRIM_EVERY_MESSAGES = 512;
const WAIT_MS_MIN = 100;
const WAIT_MS_MAX = 5_000;

interface ChainPublisherOptions {
  readonly stream: ChainStream;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const messageOf = (event: ChainEvent): StreamMessage => {
  const data = encodeChainEvent(event);
  assert.ok(data.length <= CHAIN_MESSAGE_BYTES_MAX, 'a chain message has a bounded size');
  return { id: chainMessageId(event), headers: messageHeaders(event), data };
};

/**
 * Appends a message after the last one, retrying as necessary: one that was stored without a confirmation is
 * recognised by its id.
 * @returns its sequence
 */
const append = async (
  { stream, clock, logger, signal }: ChainPublisherOptions,
  message: StreamMessage,
  last: { readonly seq: number; readonly id: string | undefined },
): Promise<number> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const { seq } = await stream.append(message, last.seq, last.id);
      if (attempt > 0) logger.info({ seq }, 'the stream takes messages again');
      return seq;
    } catch (error) {
      if (!(error instanceof AppendError)) throw error;
      if (error.failure === 'wrongLastSequence') throw new StreamMovedError(error.message);
      const isFull = error.failure === 'full';
      const state = isFull ? 'full: waiting for its readers' : 'away: waiting';
      if (attempt === 0) logger.warn({ err: error }, `the stream is ${state}`);
      await clock.sleep(Math.min(WAIT_MS_MIN * 2 ** attempt, WAIT_MS_MAX), signal);
      if (signal.aborted) throw new RetryableError('stopped while the stream was waited for');
      if (isFull) await trimStream(stream, logger);
    }
  }
};

/**
 * A publisher of one chain's stream. It is the only one: each message names the sequence and the message it must
 * follow, so a second publisher, or a stream that lost its tail, is noticed at once.
 */
export const createChainPublisher = (options: ChainPublisherOptions) => {
  const { stream, logger } = options;
  let last: { seq: number; id: string | undefined } = { seq: 0, id: undefined };
  let sinceTrim = 0;
  return {
    /** Starts after the stream's last message. */
    begin: (lastSeq: number): void => {
      last = { seq: lastSeq, id: undefined };
    },
    /**
     * Resolves when the stream has stored the event. Waits while it is full or unavailable.
     * @throws StreamMovedError if the stream is not as this publisher left it.
     */
    publish: async (event: ChainEvent): Promise<void> => {
      const message = messageOf(event);
      const seq = await append(options, message, last);
      const expected = last.seq + 1;
      if (seq !== expected) {
        throw new StreamMovedError(`the message was stored as ${seq}, not as ${expected}`);
      }
      last = { seq, id: message.id };
      sinceTrim += 1;
      if (sinceTrim < TRIM_EVERY_MESSAGES) return;
      sinceTrim = 0;
      await trimStream(stream, logger);
    },
  };
};
/** Publishes chain events in order, one at a time, without loss or duplicates. */
export type ChainPublisher = ReturnType<typeof createChainPublisher>;
