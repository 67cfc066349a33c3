import { DeliverPolicy, type JsMsg, type NatsConnection } from 'nats';
import type { StreamMessage } from '../events/eventsOf.ts';
import { EVENTS_STREAM, PUSHED_SUBJECTS } from '../messages/subjects.ts';
import type { Clock } from './clock.ts';
import { errorMessage, RetryableError } from './errors.ts';
import type { Logger } from './logger.ts';
import { jetStreamManager } from './nats.ts';
import { messageIdOf } from './publish.ts';
import { createTransientConsumer } from './transientConsumer.ts';

const REOPEN_DELAY_MS = 250;
const LOST_TAIL_CHECK_MS = 10_000;
/** Messages read ahead while following the log. */
const AHEAD_MAX = 500;
const REPLAY_PAGE = 500;
const REPLAY_PAGE_MS_MAX = 3_000;

/** A message with its position in the log. */
export interface LoggedMessage extends StreamMessage {
  readonly seq: number;
}

/** A follower of the log. */
export interface LogFollower {
  /** Everything before this position is the past. */
  onStart(seq: number): void;
  /** Messages in log order, each once. */
  onMessage(message: LoggedMessage): void;
  /** The log lost messages that were already seen, and assigns their positions to others. */
  onReset(): void;
}

const logged = (message: JsMsg): LoggedMessage => {
  const { seq, subject, data } = message;
  return { seq, subject, data, messageId: messageIdOf(message) };
};

interface LogPorts {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly logger: Logger;
}

const follow = async (
  { connection, clock, logger }: LogPorts,
  follower: LogFollower,
  signal: AbortSignal,
): Promise<void> => {
  let last: number | undefined;
  let close: () => void = () => undefined;
  const lastStored = async (): Promise<number> => {
    const jsm = await jetStreamManager(connection);
    return (await jsm.streams.info(EVENTS_STREAM)).state.last_seq;
  };
  const checkTail = async (): Promise<void> => {
    const seen = last;
    const stored = await lastStored().catch(() => undefined);
    // Messages that arrived while the answer was in transit are not in it.
    if (stored === undefined || last === undefined || seen === undefined || stored >= seen) return;
    logger.warn({ stored, last }, 'events went back');
    last = stored;
    follower.onReset();
    follower.onStart(stored);
    close();
  };
  const tail = setInterval(() => void checkTail(), LOST_TAIL_CHECK_MS);
  signal.addEventListener('abort', () => close());
  while (!signal.aborted) {
    try {
      if (last === undefined) {
        last = await lastStored();
        follower.onStart(last);
      }
      const { consumer, remove } = await createTransientConsumer(connection, EVENTS_STREAM, {
        filter_subjects: [...PUSHED_SUBJECTS],
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: last + 1,
      });
      const messages = await consumer.consume({
        max_messages: AHEAD_MAX,
        abort_on_missing_resource: true,
      });
      close = () => messages.stop();
      if (signal.aborted) close();
      let delivered = 0;
      for await (const message of messages) {
        delivered += 1;
        // Some were lost in transit: they are read again.
        if (message.info.deliverySequence !== delivered) break;
        last = message.seq;
        follower.onMessage(logged(message));
      }
      await remove();
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error }, `events are away: ${errorMessage(error)}`);
    }
    await clock.sleep(REOPEN_DELAY_MS, signal);
  }
  clearInterval(tail);
};

const replay = async function* (
  connection: NatsConnection,
  args: { subjects: readonly string[]; fromMs: number; upToSeq: number },
): AsyncGenerator<LoggedMessage> {
  const { subjects, fromMs, upToSeq } = args;
  try {
    const { consumer, pending, remove } = await createTransientConsumer(connection, EVENTS_STREAM, {
      filter_subjects: [...subjects],
      deliver_policy: DeliverPolicy.StartTime,
      opt_start_time: new Date(fromMs).toISOString(),
    });
    try {
      let left = pending;
      while (left > 0) {
        const expires = REPLAY_PAGE_MS_MAX;
        const page = await consumer.fetch({ max_messages: Math.min(left, REPLAY_PAGE), expires });
        let count = 0;
        for await (const message of page) {
          if (message.seq > upToSeq) return;
          count += 1;
          left = message.info.pending;
          yield logged(message);
          if (message.seq === upToSeq) return;
        }
        if (count === 0) throw new Error('no answer to a replay');
      }
    } finally {
      await remove();
    }
  } catch (error) {
    throw new RetryableError(`events: ${errorMessage(error)}`, { cause: error });
  }
};

/** The event log in JetStream. */
export const createEventLog = (ports: LogPorts) => ({
  /** Follows the log from now until `signal` aborts. */
  follow: (follower: LogFollower, signal: AbortSignal): Promise<void> =>
    follow(ports, follower, signal),
  /**
   * Messages on these subjects, stored from a time (Unix milliseconds) on, up to a position.
   * @throws RetryableError
   */
  replay: (args: {
    readonly subjects: readonly string[];
    readonly fromMs: number;
    readonly upToSeq: number;
  }): AsyncGenerator<LoggedMessage> => replay(ports.connection, args),
});
/** The events of the last 24 hours, and future ones. */
export type EventLog = ReturnType<typeof createEventLog>;
