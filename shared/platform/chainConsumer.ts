import type { JetStreamManager, JsMsg, NatsConnection } from 'nats';
import type { ChainEvent } from '../chain/chainEvent.ts';
import { decodeChainEvent } from '../messages/chainMessage.ts';
import { type ChainReader, chainStream } from '../messages/subjects.ts';
import type { Clock } from './clock.ts';
import { errorMessage, FatalError, RetryableError } from './errors.ts';
import type { Logger } from './logger.ts';
import { ACK_HEARTBEAT_MS, CHAIN_PENDING_MAX, ensureChainConsumer } from './nats.ts';
import { runConcurrently } from './runConcurrently.ts';
import { subscribe } from './subscription.ts';
import type { Tracer } from './tracer.ts';

/** A chain event with its position in the stream. */
export interface SequencedEvent {
  readonly seq: number;
  readonly event: ChainEvent;
}

/** Receives the metrics of a reader. */
export interface ReaderMeter {
  /** A batch was handled; `reached` is the position of its last block, if it has one. */
  handled(batch: {
    readonly messages: number;
    readonly tookMs: number;
    readonly reached: { readonly lagBlocks: number; readonly timestampS: number } | undefined;
  }): void;
  /** A message was delivered again. */
  redelivered(): void;
  /** A batch failed and will be handled again. */
  retried(): void;
}

export interface ChainConsumerOptions {
  readonly connection: NatsConnection;
  readonly chainId: number;
  readonly reader: ChainReader;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter?: ReaderMeter;
  readonly tracer?: Pick<Tracer, 'span'>;
  /**
   * Handles events in stream order; after a crash a batch may be delivered again. After a RetryableError the same
   * batch is handled again following a pause; any other error ends the consumer.
   */
  readonly handle: (batch: readonly SequencedEvent[]) => Promise<void>;
  /**
   * Milliseconds to pause after a batch near the head, so that what arrives meanwhile is handled together. No pause
   * if absent.
   */
  readonly restMs?: number;
}

/**
 * Maximum bytes of messages handled together; a single message may be larger. Some 26,000 transfers: enough rows for
 * a cheap insert, few enough to be collected soon.
 */
const BATCH_BYTES_MAX = 6 * 1024 * 1024;
/** Blocks behind the head up to which each block is logged, and a reader may pause. */
const NEAR_LAG_BLOCKS_MAX = 16;
const RETRY_DELAY_MS_MIN = 100;
const RETRY_DELAY_MS_MAX = 5_000;

/**
 * Reads one chain's stream for one role until `signal` aborts: in order, acknowledged only after the handler has
 * finished, and without ever skipping a message.
 */
export const consumeChain = async (
  options: ChainConsumerOptions,
  signal: AbortSignal,
): Promise<void> => {
  const { connection, chainId, reader, clock, logger, meter } = options;
  const inbox = createInbox();
  const heartbeat = setInterval(() => inbox.heartbeat(), ACK_HEARTBEAT_MS);
  const subscription = {
    connection,
    stream: chainStream(chainId),
    durable: reader,
    ensure: (jsm: JetStreamManager) => ensureChainConsumer(jsm, chainId, reader),
    heldMax: CHAIN_PENDING_MAX,
    handled: () => inbox.handled(),
    onMessage: (message: JsMsg) => {
      if (message.redelivered) meter?.redelivered();
      inbox.add(message);
    },
    onOpen: async (jsm: JetStreamManager) =>
      inbox.begin(await firstUnacknowledged(jsm, chainId, reader)),
    onBack: () => inbox.restart(),
    clock,
    logger,
  };
  try {
    await runConcurrently(
      (stop) => [subscribe(subscription, stop), handleAll(options, inbox, stop)],
      signal,
    );
  } finally {
    clearInterval(heartbeat);
  }
};

/** Handles messages, batch by batch. */
const handleAll = async (
  options: ChainConsumerOptions,
  inbox: Inbox,
  signal: AbortSignal,
): Promise<void> => {
  signal.addEventListener('abort', () => inbox.wake());
  while (!signal.aborted) {
    const batch = await inbox.take();
    if (batch.messages.length === 0) continue;
    const lagBlocks = await handleUntilDone(options, batch.messages, signal);
    if (signal.aborted) break;
    inbox.done(batch);
    const isNear = lagBlocks !== undefined && lagBlocks <= NEAR_LAG_BLOCKS_MAX;
    if (isNear && options.restMs) await options.clock.sleep(options.restMs, signal);
  }
};

/** Messages taken together. */
interface Taken {
  readonly messages: readonly JsMsg[];
  /** How often the stream had been recreated when they were taken. */
  readonly generation: number;
}

/**
 * Messages received and not yet acknowledged, delivered in sequence order. After a crash, messages held by the dead
 * process are delivered again only after ACK_WAIT_MS, behind newer ones. An acknowledgement covers all earlier
 * messages, so a newer message must wait for the missing ones.
 */
const createInbox = () => {
  const waiting = new Map<number, JsMsg>();
  let inHand: readonly JsMsg[] = [];
  let next = 0;
  let handledSeq = 0;
  let generation = 0;
  let wake: () => void = () => undefined;

  const takeNext = (): JsMsg[] => {
    const messages: JsMsg[] = [];
    let bytes = 0;
    for (let message = waiting.get(next); message; message = waiting.get(next)) {
      bytes += message.data.length;
      if (messages.length > 0 && bytes > BATCH_BYTES_MAX) break;
      messages.push(message);
      waiting.delete(next);
      next += 1;
    }
    return messages;
  };

  return {
    /** Reports the sequence at which reading begins, or continues after the subscription was lost. */
    begin: (seq: number): void => {
      next = Math.max(next, seq);
      for (const held of waiting.keys()) if (held < next) waiting.delete(held);
    },
    add: (message: JsMsg): void => {
      if (message.seq <= handledSeq) message.ack();
      if (message.seq < next) return;
      waiting.set(message.seq, message);
      if (waiting.has(next)) wake();
    },
    /** The next messages without a gap, up to BATCH_BYTES_MAX; waits for the first. Empty after `wake`. */
    take: async (): Promise<Taken> => {
      if (!waiting.has(next)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      inHand = takeNext();
      return { messages: inHand, generation };
    },
    /**
     * Acknowledges a handled batch; if it is delivered again, it is acknowledged without being handled. Does nothing
     * for messages taken before the stream was recreated: their sequences now belong to other messages.
     */
    done: (batch: Taken): void => {
      const last = batch.messages.at(-1);
      if (!last || batch.generation !== generation) return;
      handledSeq = last.seq;
      last.ack();
      inHand = [];
    },
    heartbeat: (): void => {
      for (const message of [...inHand, ...waiting.values()]) message.working();
    },
    wake: (): void => wake(),
    /** Resets the handled sequences after the stream was recreated. */
    restart: (): void => {
      next = 0;
      handledSeq = 0;
      generation += 1;
      inHand = [];
      waiting.clear();
    },
    /** Highest handled sequence. */
    handled: (): number => handledSeq,
  };
};
type Inbox = ReturnType<typeof createInbox>;

const firstUnacknowledged = async (
  jsm: JetStreamManager,
  chainId: number,
  reader: ChainReader,
): Promise<number> => {
  const stream = chainStream(chainId);
  const [{ state }, { ack_floor }] = await Promise.all([
    jsm.streams.info(stream),
    jsm.consumers.info(stream, reader),
  ]);
  return Math.max(ack_floor.stream_seq + 1, state.first_seq);
};

const decode = (message: JsMsg): SequencedEvent => {
  try {
    return { seq: message.seq, event: decodeChainEvent(message.data) };
  } catch (error) {
    // A block must not be skipped: it is better to stop than to have a gap in the facts.
    throw new FatalError(
      `message ${message.seq} of ${message.subject} cannot be read: ${errorMessage(error)}`,
      { cause: error },
    );
  }
};

/** The position a batch reaches; undefined for one without a block. */
const reachedBy = (events: readonly SequencedEvent[]) => {
  const last = events.findLast(({ event }) => event.kind === 'blocks')?.event;
  if (last?.kind !== 'blocks') return undefined;
  return { lagBlocks: Math.max(0, last.head - last.to.number), timestampS: last.to.timestampS };
};

/** One log line per block near the head; while catching up the totals suffice. */
const logHandled = (
  events: readonly SequencedEvent[],
  startMs: number,
  { reader, clock, logger, tracer }: ChainConsumerOptions,
): void => {
  const endMs = clock.now();
  const tookMs = endMs - startMs;
  for (const { seq, event } of events) {
    if (event.kind === 'reorg') {
      const { number: block, hash: blockHash } = event.ancestor;
      logger.info({ block, blockHash, seq, depth: event.orphaned.length, tookMs }, 'reorg handled');
    }
    if (event.kind !== 'blocks' || !event.last) continue;
    const { number: block, hash: blockHash } = event.to;
    if (event.head - block > NEAR_LAG_BLOCKS_MAX) continue;
    logger.info({ block, blockHash, seq, tookMs }, 'block handled');
    const attributes = { block, seq, reader };
    tracer?.span({ name: `${reader}: block handled`, blockHash, startMs, endMs, attributes });
  }
};

/** @returns by how many blocks the batch lags behind the head; undefined for one without a block */
const handleUntilDone = async (
  options: ChainConsumerOptions,
  messages: readonly JsMsg[],
  signal: AbortSignal,
): Promise<number | undefined> => {
  const { handle, clock, logger, meter } = options;
  const events = messages.map(decode);
  const startedMs = clock.now();
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      await handle(events);
      const tookMs = clock.now() - startedMs;
      const reached = reachedBy(events);
      meter?.handled({ messages: events.length, tookMs, reached });
      logHandled(events, startedMs, options);
      return reached?.lagBlocks;
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      meter?.retried();
      const delayMs = Math.min(RETRY_DELAY_MS_MIN * 2 ** attempt, RETRY_DELAY_MS_MAX);
      logger.warn(
        { err: error, attempt, delayMs, seq: events[0]?.seq },
        'batch will be handled again',
      );
      await clock.sleep(delayMs, signal);
    }
  }
  return undefined;
};
