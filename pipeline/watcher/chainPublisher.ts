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
import {
  AppendError,
  type AppendFailure,
  type ChainStream,
  type StreamMessage,
  StreamMovedError,
} from './ports.ts';

/** Messages kept for a restart, however far the readers are. */
export const KEEP_MESSAGES = 4096;

/**
 * Removes what every reader has acknowledged once the stream is half full. Keeps the messages a
 * restart reads. Failures are logged: the next attempt comes soon.
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
  /** Message before it in this run. */
  readonly after: string | undefined;
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

interface ChainPublisherOptions {
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
  lastId: string | undefined;
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
  lastId: undefined,
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

/** A publisher from the inside: one run, and those who wait for it to change. */
interface State extends ChainPublisherOptions {
  run: Run;
  waiting: (() => void)[];
}

const changed = (state: State): void => {
  const { waiting } = state;
  state.waiting = [];
  for (const resolve of waiting) resolve();
};

const confirm = (run: Run, item: Pending): void => {
  run.pending.shift();
  run.bytes -= item.message.data.length;
  run.confirmed += 1;
};

const settle = (state: State, run: Run): void => {
  run.unsettled -= 1;
  if (run.failure && run.unsettled === 0 && !run.recovery) run.recovery = recover(state, run);
  changed(state);
};

const send = (state: State, run: Run, item: Pending): void => {
  run.unsettled += 1;
  state.stream.append(item.message, item.seq - 1, item.after).then(
    ({ seq }) => {
      if (seq === item.seq && run.pending[0] === item) confirm(run, item);
      else
        run.failure ??= new AppendError('unavailable', `message ${item.seq} confirmed as ${seq}`);
      settle(state, run);
    },
    (error: unknown) => {
      run.failure ??=
        error instanceof AppendError ? error : new AppendError('unavailable', errorMessage(error));
      settle(state, run);
    },
  );
};

const WAITING_FOR: Readonly<Record<AppendFailure, string>> = {
  full: 'the stream is full: waiting for its readers',
  unavailable: 'the stream is away: waiting',
  wrongLastSequence: 'the stream is not as it was left',
};

/** After a failure and once nothing is under way: waits until the stream takes messages again. */
const recover = async (state: State, run: Run): Promise<void> => {
  const { clock, logger, signal } = state;
  const failure = run.failure?.failure ?? 'unavailable';
  logger.warn({ err: run.failure }, WAITING_FOR[failure]);
  for (let attempt = 0; run === state.run && !signal.aborted; attempt += 1) {
    if (failure !== 'wrongLastSequence' || attempt > 0) {
      await clock.sleep(Math.min(WAIT_MS_MIN * 2 ** attempt, WAIT_MS_MAX), signal);
    }
    try {
      await resend(state, run);
      return;
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
    }
  }
};

/** Sends what is unconfirmed again, if the stream ends where it should; else the run is over. */
const resend = async (state: State, run: Run): Promise<void> => {
  const { stream, logger } = state;
  const first = run.pending[0];
  const expected = (first?.seq ?? run.nextSeq) - 1;
  const { lastSeq } = await stream.info();
  await trimStream(stream, logger);
  // One alone first: it shows whether the stream takes messages again.
  const isAsLeft = lastSeq === expected && first !== undefined;
  const stored = isAsLeft ? (await stream.append(first.message, expected)).seq : lastSeq;
  if (!isAsLeft || stored !== first.seq) {
    run.moved = new StreamMovedError(`the stream ends at ${stored}, not at ${expected}`);
    changed(state);
    return;
  }
  logger.info({ seq: stored }, 'the stream takes messages again');
  confirm(run, first);
  run.failure = undefined;
  run.recovery = undefined;
  for (const item of run.pending) send(state, run, item);
  changed(state);
};

/** Waits for `done`. @throws StreamMovedError when the run is over. */
const waitUntil = async (state: State, run: Run, done: () => boolean): Promise<void> => {
  const { signal } = state;
  const wake = (): void => changed(state);
  signal.addEventListener('abort', wake);
  try {
    while (!run.moved && !done()) {
      if (signal.aborted) throw new RetryableError('stopped while the stream was waited for');
      await new Promise<void>((resolve) => state.waiting.push(resolve));
    }
  } finally {
    signal.removeEventListener('abort', wake);
  }
  if (run.moved) throw run.moved;
};

const hasRoom = (run: Run): boolean =>
  !run.failure && run.pending.length < IN_FLIGHT_MESSAGES_MAX && run.bytes < IN_FLIGHT_BYTES_MAX;

/**
 * A publisher of one chain's stream. It is the only one: each message names the sequence and the message it has
 * to follow, so a second publisher, or a stream that lost its tail, is noticed at once.
 */
export const createChainPublisher = (options: ChainPublisherOptions): ChainPublisher => {
  const state: State = { ...options, run: newRun(0), waiting: [] };
  return {
    begin: (lastSeq) => {
      state.run = newRun(lastSeq);
      changed(state);
    },
    publish: async (event) => {
      const { run } = state;
      const message = messageOf(event);
      await waitUntil(state, run, () => hasRoom(run));
      const item = { message, seq: run.nextSeq, after: run.lastId };
      run.nextSeq += 1;
      run.lastId = message.id;
      run.pending.push(item);
      run.bytes += message.data.length;
      send(state, run, item);
      if (run.confirmed < TRIM_EVERY_MESSAGES) return;
      run.confirmed = 0;
      await trimStream(state.stream, state.logger);
    },
    flush: () => {
      const { run } = state;
      return waitUntil(state, run, () => run.pending.length === 0);
    },
  };
};
