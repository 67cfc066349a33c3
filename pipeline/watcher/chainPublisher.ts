import assert from 'node:assert';
import type { ChainEvent } from '../../shared/chain/chainEvent.ts';
import {
  CHAIN_MESSAGE_BYTES_MAX,
  chainMessageId,
  encodeChainEvent,
} from '../../shared/messages/chainMessage.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { errorMessage, RetryableError } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { AppendError, StreamMovedError } from './appendError.ts';
import { messageHeaders } from './localChain/messageHeaders.ts';
import type { ChainStream, StreamMessage } from './ports.ts';
import { trimStream } from './trimStream.ts';

/** Messages sent and not yet confirmed, at the most. */
export const IN_FLIGHT_MESSAGES_MAX = 128;
/** Their bytes, at the most. */
const IN_FLIGHT_BYTES_MAX = 16 * 1024 * 1024;
/** Confirmed messages between two looks at how full the stream is. */
const TRIM_EVERY_MESSAGES = 512;
const WAIT_MS_MIN = 100;
const WAIT_MS_MAX = 5_000;

interface Pending {
  readonly message: StreamMessage;
  readonly seq: number;
}

/** Publishes chain events in order, several under way at a time, none lost and none twice. */
export interface ChainPublisher {
  /** Starts behind the stream's last message; forgets what was under way. */
  begin(lastSeq: number): void;
  /**
   * Sends an event, waiting for room. Waits as long as the stream is full or away.
   * @throws StreamMovedError where the stream is not as this publisher left it.
   */
  publish(event: ChainEvent): Promise<void>;
  /** Waits until all is confirmed. @throws StreamMovedError as `publish`. */
  flush(): Promise<void>;
}

export interface ChainPublisherOptions {
  readonly stream: ChainStream;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** The state of one run between two `begin`s: a reply to an earlier run must not touch a later one. */
interface Run {
  pending: Pending[];
  bytes: number;
  unsettled: number;
  nextSeq: number;
  failure: AppendError | undefined;
  moved: StreamMovedError | undefined;
  recovery: Promise<void> | undefined;
  confirmed: number;
}

const newRun = (lastSeq: number): Run => ({
  pending: [],
  bytes: 0,
  unsettled: 0,
  nextSeq: lastSeq + 1,
  failure: undefined,
  moved: undefined,
  recovery: undefined,
  confirmed: 0,
});

const messageOf = (event: ChainEvent): StreamMessage => {
  const data = encodeChainEvent(event);
  assert.ok(data.length <= CHAIN_MESSAGE_BYTES_MAX, 'a chain message has a bounded size');
  return { id: chainMessageId(event), headers: messageHeaders(event), data };
};

/** Where the stream is not what it was, only a restart from its messages is safe. */
const movedError = (detail: string): StreamMovedError =>
  new StreamMovedError(`the stream is not as it was left: ${detail}`);

export const createChainPublisher = (options: ChainPublisherOptions): ChainPublisher => {
  const { stream, clock, logger, signal } = options;
  let run = newRun(0);
  let wake: (() => void)[] = [];

  const changed = (): void => {
    const waiting = wake;
    wake = [];
    for (const resolve of waiting) resolve();
  };
  const change = (): Promise<void> => new Promise((resolve) => wake.push(resolve));

  const send = (current: Run, item: Pending): void => {
    current.unsettled += 1;
    const settle = (): void => {
      current.unsettled -= 1;
      if (current.failure && current.unsettled === 0 && !current.recovery) {
        current.recovery = recover(current);
      }
      changed();
    };
    stream.append(item.message, item.seq - 1).then(
      ({ seq }) => {
        const first = current.pending[0];
        if (seq !== item.seq || first !== item) current.failure ??= unsure(item, seq);
        else {
          current.pending.shift();
          current.bytes -= item.message.data.length;
          current.confirmed += 1;
        }
        settle();
      },
      (error: unknown) => {
        current.failure ??=
          error instanceof AppendError
            ? error
            : new AppendError('unavailable', errorMessage(error));
        settle();
      },
    );
  };

  const recover = async (current: Run): Promise<void> => {
    const failure = current.failure;
    const what = failure?.failure === 'full' ? 'the stream is full' : 'the stream is away';
    if (failure?.failure !== 'wrongLastSequence') logger.warn({ err: failure }, `${what}: waiting`);
    for (let attempt = 0; current === run && !signal.aborted; attempt += 1) {
      if (failure?.failure !== 'wrongLastSequence' || attempt > 0) {
        await clock.sleep(Math.min(WAIT_MS_MIN * 2 ** attempt, WAIT_MS_MAX), signal);
      }
      try {
        if (await resend(current)) return;
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
      }
    }
  };

  /** Sends what is unconfirmed again, if the stream ends where it should. */
  const resend = async (current: Run): Promise<boolean> => {
    const { lastSeq } = await stream.info();
    const first = current.pending[0];
    const expected = (first?.seq ?? current.nextSeq) - 1;
    if (lastSeq !== expected || !first) {
      current.moved = movedError(`it ends at ${lastSeq}, not at ${expected}`);
      changed();
      return true;
    }
    await trimStream(stream, logger);
    // One alone first: it shows whether the stream takes messages again.
    const { seq } = await stream.append(first.message, first.seq - 1);
    if (seq !== first.seq) {
      current.moved = movedError(`message ${first.seq} was stored as ${seq}`);
      changed();
      return true;
    }
    logger.info({ seq }, 'the stream takes messages again');
    current.pending.shift();
    current.bytes -= first.message.data.length;
    current.failure = undefined;
    current.recovery = undefined;
    for (const item of current.pending) send(current, item);
    changed();
    return true;
  };

  const waitUntil = async (current: Run, done: () => boolean): Promise<void> => {
    while (!done()) {
      if (current.moved) throw current.moved;
      if (signal.aborted) throw new RetryableError('stopped while the stream was waited for');
      await Promise.race([change(), aborted(signal)]);
    }
    if (current.moved) throw current.moved;
  };
  const hasRoom = (current: Run): boolean =>
    !current.failure &&
    current.pending.length < IN_FLIGHT_MESSAGES_MAX &&
    current.bytes < IN_FLIGHT_BYTES_MAX;

  return {
    begin: (lastSeq) => {
      run = newRun(lastSeq);
      changed();
    },
    publish: async (event) => {
      const current = run;
      const message = messageOf(event);
      await waitUntil(current, () => hasRoom(current));
      const item = { message, seq: current.nextSeq };
      current.nextSeq += 1;
      current.pending.push(item);
      current.bytes += message.data.length;
      send(current, item);
      if (current.confirmed >= TRIM_EVERY_MESSAGES) {
        current.confirmed = 0;
        await trimStream(stream, logger);
      }
    },
    flush: () => {
      const current = run;
      return waitUntil(current, () => current.pending.length === 0);
    },
  };
};

const unsure = (item: Pending, seq: number): AppendError =>
  new AppendError('unavailable', `message ${item.seq} was confirmed as ${seq}`);

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
