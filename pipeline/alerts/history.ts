import type { JetStreamManager, NatsConnection } from 'nats';
import type { ChainEvent } from '../../shared/chain/chainEvent.ts';
import { decodeChainEvent } from '../../shared/messages/chainMessage.ts';
import { type ChainReader, chainStream } from '../../shared/messages/subjects.ts';
import type { SequencedEvent } from '../../shared/platform/chainConsumer.ts';
import { errorMessage, RetryableError } from '../../shared/platform/errors.ts';
import { jetStreamManager } from '../../shared/platform/nats.ts';
import { LOOK_BACK_S } from './pools/poolSeries.ts';

/** Maximum messages read again. */
const HISTORY_MESSAGES_MAX = 20_000;
/** Maximum depth in blocks of a reorg right after the start. */
const HISTORY_BLOCKS_MIN = 64;
const FIRST_STEP = 64;
/** The reader that maintains the index. */
const INDEXER: ChainReader = 'scorer';
const MESSAGES_AT_ONCE = 32;

/**
 * The last messages that a reader acknowledged, oldest first, in groups. They cover at least the blocks that a reorg
 * may orphan and an hour of chain time before those; memory is rebuilt from them.
 */
export async function* readHistory(
  connection: NatsConnection,
  chainId: number,
  reader: string,
): AsyncGenerator<readonly SequencedEvent[]> {
  const stream = chainStream(chainId);
  try {
    const jsm = await jetStreamManager(connection);
    const [{ state }, { ack_floor }, indexer] = await Promise.all([
      jsm.streams.info(stream),
      jsm.consumers.info(stream, reader),
      jsm.consumers.info(stream, INDEXER),
    ]);
    const last = ack_floor.stream_seq;
    if (last === 0 || last < state.first_seq || last > state.last_seq) return;
    const indexed = Math.min(last, indexer.ack_floor.stream_seq);
    const first = await findStart(jsm, stream, { first: state.first_seq, last, indexed });
    yield* readRange(jsm, stream, first, last);
  } catch (error) {
    throw new RetryableError(`history of ${stream}: ${errorMessage(error)}`, { cause: error });
  }
}

/**
 * Steps back, doubling each time: to the deepest block of a possible reorg, from there over the time that the rules
 * look back, and to where the index holds all older data.
 */
const findStart = async (
  jsm: JetStreamManager,
  stream: string,
  { first, last, indexed }: { first: number; last: number; indexed: number },
): Promise<number> => {
  const oldest = Math.max(first, last - HISTORY_MESSAGES_MAX);
  const newest = await placeNear(jsm, stream, last, oldest);
  let deepest: Place | undefined;
  for (let step = FIRST_STEP; last - step > oldest; step *= 2) {
    const place = await placeNear(jsm, stream, last - step, oldest);
    if (newest.number - place.number >= HISTORY_BLOCKS_MIN) deepest ??= place;
    const isEnough = deepest && deepest.timestampS - place.timestampS >= LOOK_BACK_S;
    if (isEnough && place.seq <= indexed + 1) return place.seq;
  }
  return oldest;
};

interface Place {
  readonly seq: number;
  readonly number: number;
  readonly timestampS: number;
}

const placeOf = (event: ChainEvent, seq: number): Place | null => {
  // Reading can only begin at the first piece of a range.
  if (event.kind === 'blocks' && event.chunk > 0) return null;
  if (event.kind === 'blocks') return { ...event.to, number: event.from - 1, seq };
  return event.kind === 'reorg' ? { ...event.ancestor, seq } : null;
};

/** The first message at or before `seq` that has a time; finalize messages do not. */
const placeNear = async (
  jsm: JetStreamManager,
  stream: string,
  seq: number,
  oldest: number,
): Promise<Place> => {
  for (let at = seq; at >= oldest; at -= 1) {
    const message = await jsm.streams.getMessage(stream, { seq: at });
    const place = placeOf(decodeChainEvent(message.data), at);
    if (place) return place;
  }
  return { seq: oldest, number: 0, timestampS: 0 };
};

/** Requested individually, a group at a time: no consumer is needed, and none can fail half-way. */
async function* readRange(
  jsm: JetStreamManager,
  stream: string,
  first: number,
  last: number,
): AsyncGenerator<readonly SequencedEvent[]> {
  for (let at = first; at <= last; at += MESSAGES_AT_ONCE) {
    const count = Math.min(MESSAGES_AT_ONCE, last - at + 1);
    const sequences = Array.from({ length: count }, (_, i) => at + i);
    const messages = await Promise.all(
      sequences.map((seq) => jsm.streams.getMessage(stream, { seq })),
    );
    yield messages.map(({ seq, data }) => ({ seq, event: decodeChainEvent(data) }));
  }
}
