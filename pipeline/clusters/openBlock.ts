import type { NatsConnection } from 'nats';
import { decodeChainEvent } from '../../shared/messages/chainMessage.ts';
import { type ChainReader, chainStream } from '../../shared/messages/subjects.ts';
import type { SequencedEvent } from '../../shared/platform/chainConsumer.ts';
import { errorMessage, RetryableError } from '../../shared/platform/errors.ts';
import { JETSTREAM_TIMEOUT_MS } from '../../shared/platform/nats.ts';

/** Pieces of one range that are read again at the most. */
const PIECES_MAX = 10_000;

/**
 * The pieces of the range that a reader acknowledged last, where it has not come to its end, in
 * order: a block in the middle of them may have begun in one that is acknowledged.
 */
export const readOpenPieces = async (
  connection: NatsConnection,
  chainId: number,
  reader: ChainReader,
): Promise<SequencedEvent[]> => {
  const stream = chainStream(chainId);
  try {
    const jsm = await connection.jetstreamManager({ timeout: JETSTREAM_TIMEOUT_MS });
    const [{ state }, { ack_floor }] = await Promise.all([
      jsm.streams.info(stream),
      jsm.consumers.info(stream, reader),
    ]);
    const last = ack_floor.stream_seq;
    if (last < state.first_seq || last > state.last_seq || last === 0) return [];
    const pieces: SequencedEvent[] = [];
    for (let seq = last; seq >= state.first_seq && pieces.length < PIECES_MAX; seq -= 1) {
      const { data } = await jsm.streams.getMessage(stream, { seq });
      const event = decodeChainEvent(data);
      if (event.kind !== 'blocks' || event.last) break;
      pieces.unshift({ seq, event });
      if (event.chunk === 0) break;
    }
    return pieces;
  } catch (error) {
    throw new RetryableError(`open block of ${stream}: ${errorMessage(error)}`, { cause: error });
  }
};
