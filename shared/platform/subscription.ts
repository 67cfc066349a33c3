import { DeliverPolicy, type JetStreamManager, type JsMsg, type NatsConnection } from 'nats';
import type { Clock } from './clock.ts';
import { errorMessage } from './errors.ts';
import type { Logger } from './logger.ts';
import { isAheadOfStream, jetStreamManager } from './nats.ts';
import { untilAborted } from './untilAborted.ts';

const PULL_EXPIRES_MS = 10_000;
const LOST_TAIL_CHECK_MS = 10_000;
const REOPEN_DELAY_MS = 250;

/** A durable consumer, and what happens to its messages. */
export interface Subscription {
  readonly connection: NatsConnection;
  readonly stream: string;
  readonly durable: string;
  /** Creates the durable consumer if it is missing, from the stream's beginning if `deliverPolicy` says so. */
  readonly ensure: (jsm: JetStreamManager, deliverPolicy?: DeliverPolicy) => Promise<void>;
  /** Maximum requested messages that are not acknowledged. */
  readonly heldMax: number;
  /** Last handled sequence, acknowledged or not. */
  readonly handled?: () => number;
  readonly onMessage: (message: JsMsg) => void;
  /** The consumer exists, and messages are about to arrive. */
  readonly onOpen?: (jsm: JetStreamManager) => Promise<void>;
  /** The stream lost handled messages: all of it is about to be delivered again. */
  readonly onBack: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Keeps a pull subscription open until `signal` aborts; opens a new one when the server or the consumer is gone. A
 * durable consumer that is ahead of its stream is recreated from the stream's beginning, so every handler must be
 * idempotent.
 */
export const subscribe = async (subscription: Subscription, signal: AbortSignal): Promise<void> => {
  const { connection, stream, durable, handled = () => 0, clock, logger } = subscription;
  // Until the consumer is recreated, even if that fails after the old one was deleted.
  let isFromStart = false;
  while (!signal.aborted) {
    let tail: NodeJS.Timeout | undefined;
    try {
      const jsm = await jetStreamManager(connection);
      const isAhead = (): Promise<boolean> => isAheadOfStream(jsm, stream, durable, handled());
      if (await isAhead()) {
        logger.warn({ stream, durable, handled: handled() }, 'stream went back, reading again');
        isFromStart = true;
        subscription.onBack();
        await jsm.consumers.delete(stream, durable);
      }
      await subscription.ensure(jsm, isFromStart ? DeliverPolicy.All : undefined);
      isFromStart = false;
      await subscription.onOpen?.(jsm);
      const consumer = await connection.jetstream().consumers.get(stream, durable);
      const messages = await consumer.consume({
        max_messages: subscription.heldMax,
        expires: PULL_EXPIRES_MS,
      });
      const checkTail = async (): Promise<void> => {
        if (await isAhead().catch(() => false)) messages.stop();
      };
      tail = setInterval(() => void checkTail(), LOST_TAIL_CHECK_MS);
      for await (const message of untilAborted(messages, signal)) subscription.onMessage(message);
    } catch (error) {
      logger.warn({ err: error }, `stream ${stream} is away: ${errorMessage(error)}`);
    } finally {
      clearInterval(tail);
    }
    await clock.sleep(REOPEN_DELAY_MS, signal);
  }
};
