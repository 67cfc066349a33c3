import type { ChainEvent } from '../../chain/chainEvent.ts';
import { decodeChainEvent } from '../../messages/chainMessage.ts';
import type { SequencedEvent } from '../../platform/chainConsumer.ts';
import { RetryableError } from '../../platform/errors.ts';
import type { FakeStream } from '../fakeStream.ts';
import type { Random } from './random.ts';
import type { Life, Scheduler } from './scheduler.ts';

/** What the stream remembers of a reader, whatever becomes of its process. */
export interface Durable {
  acknowledged: number;
  /** Highest sequence any of its processes has seen. */
  delivered: number;
  /** Whether one of them handles something now, or died of it and has not been replaced. */
  isAtWork: boolean;
}

/** Messages handled at once, at the most. */
const BATCH_MAX = 12;
/** Once in how many batches the acknowledgement is lost. */
const LOST_ACK_ONE_IN = 8;

const decoded = new WeakMap<Uint8Array, ChainEvent>();

/** Each message is decoded once: events are values. */
export const eventOf = (data: Uint8Array): ChainEvent => {
  const known = decoded.get(data);
  if (known) return known;
  const event = decodeChainEvent(data);
  decoded.set(data, event);
  return event;
};

/**
 * The contract of `consumeChain` in memory: in order, the same batch again after a RetryableError,
 * everything since the last acknowledgement again after a restart, all anew when the stream went back.
 */
export const consumeFake = async (parts: {
  readonly stream: FakeStream;
  readonly durable: Durable;
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly life: Life;
  readonly handle: (batch: readonly SequencedEvent[]) => Promise<void>;
}): Promise<never> => {
  const { stream, durable, scheduler, random, life, handle } = parts;
  let handled = 0;
  for (;;) {
    await scheduler.pause(life);
    const messages = stream.messages();
    const lastSeq = messages.at(-1)?.seq ?? 0;
    if (lastSeq < Math.max(handled, durable.acknowledged)) {
      durable.acknowledged = 0;
      handled = 0;
    }
    const after = Math.max(handled, durable.acknowledged);
    const batch = messages
      .filter(({ seq }) => seq > after)
      .slice(0, 1 + random.below(BATCH_MAX))
      .map(({ seq, data }) => ({ seq, event: eventOf(data) }));
    durable.isAtWork = batch.length > 0;
    if (!durable.isAtWork) continue;
    durable.delivered = Math.max(durable.delivered, batch.at(-1)?.seq ?? 0);
    await untilHandled(() => handle(batch), scheduler, life);
    handled = batch.at(-1)?.seq ?? handled;
    await scheduler.pause(life);
    if (!random.oneIn(LOST_ACK_ONE_IN)) durable.acknowledged = handled;
  }
};

/** Does work again until nothing passing is in its way. */
export const untilHandled = async (
  handle: () => Promise<void>,
  scheduler: Scheduler,
  life: Life,
): Promise<void> => {
  for (;;) {
    try {
      return await handle();
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      await scheduler.pause(life);
    }
  }
};
