import {
  type ConsumerInfo,
  headers as createHeaders,
  DeliverPolicy,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
} from 'nats';
import { CHAIN_READERS, chainStream, chainSubject } from '../../shared/messages/subjects.ts';
import { errorMessage } from '../../shared/platform/errors.ts';
import {
  ifThere,
  JETSTREAM_TIMEOUT_MS,
  jetStreamManager,
  onNats,
} from '../../shared/platform/nats.ts';
import { createTransientConsumer } from '../../shared/platform/transientConsumer.ts';
import { type MessageHeaders, readMessageHeaders, writeMessageHeaders } from './messageHeaders.ts';
import { AppendError, type AppendFailure, type ChainStream } from './ports.ts';

/** JetStream error codes: nats-server `errors.json`. */
const WRONG_LAST_SEQUENCE: ReadonlySet<number> = new Set([10070, 10071, 10164]);
const STREAM_FULL: ReadonlySet<number> = new Set([10023, 10047, 10077]);
/** Milliseconds that reading headers may take. */
const READ_MS_MAX = 10_000;

const failureOf = (error: unknown): AppendFailure => {
  const code = error instanceof NatsError ? (error.api_error?.err_code ?? 0) : 0;
  if (WRONG_LAST_SEQUENCE.has(code)) return 'wrongLastSequence';
  const isFull =
    STREAM_FULL.has(code) || /maximum (?:bytes|messages)|insufficient/i.test(errorMessage(error));
  return isFull ? 'full' : 'unavailable';
};

const ackFloor = async (
  jsm: JetStreamManager,
  stream: string,
  reader: string,
): Promise<number | null> => {
  const info: ConsumerInfo | undefined = await ifThere(jsm.consumers.info(stream, reader));
  return info ? info.ack_floor.stream_seq : null;
};

/** Reads the headers of `[from, to]`, all of them or none. */
const readHeaders = async (
  connection: NatsConnection,
  stream: string,
  from: number,
  to: number,
): Promise<MessageHeaders[]> => {
  const { consumer, remove } = await createTransientConsumer(connection, stream, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: from,
    headers_only: true,
  });
  try {
    const found: MessageHeaders[] = [];
    let delivered = 0;
    let last = 0;
    for await (const { seq, info, headers } of await consumer.fetch({
      max_messages: to - from + 1,
      expires: READ_MS_MAX,
    })) {
      delivered += 1;
      if (info.deliverySequence !== delivered) break;
      last = seq;
      const read = readMessageHeaders((name) => headers?.get(name) || undefined);
      if (read) found.push(read);
      if (seq >= to) break;
    }
    if (last < to) throw new Error(`messages from ${from} to ${to} could not be read`);
    return found;
  } finally {
    await remove();
  }
};

/** The chain's stream in JetStream. */
export const createJetStreamChain = (connection: NatsConnection, chainId: number): ChainStream => {
  const stream = chainStream(chainId);
  const subject = chainSubject(chainId);
  const jetstream = connection.jetstream({ timeout: JETSTREAM_TIMEOUT_MS });
  const manager = (): Promise<JetStreamManager> => jetStreamManager(connection);

  return {
    info: () =>
      onNats('JetStream', async () => {
        const { state, config } = await (await manager()).streams.info(stream);
        return {
          firstSeq: state.first_seq,
          lastSeq: state.last_seq,
          messages: state.messages,
          bytes: state.bytes,
          bytesMax: config.max_bytes,
        };
      }),
    append: async (message, expectedLastSeq, expectedLastId) => {
      const headers = createHeaders();
      for (const [name, value] of writeMessageHeaders(message.headers)) headers.set(name, value);
      try {
        const { seq } = await jetstream.publish(subject, message.data, {
          msgID: message.id,
          expect: {
            lastSequence: expectedLastSeq,
            ...(expectedLastId !== undefined && { lastMsgID: expectedLastId }),
          },
          headers,
          timeout: JETSTREAM_TIMEOUT_MS,
        });
        return { seq };
      } catch (error) {
        throw new AppendError(failureOf(error), `JetStream: ${errorMessage(error)}`);
      }
    },
    headersFrom: (seq) =>
      onNats('JetStream', async () => {
        const { state } = await (await manager()).streams.info(stream);
        const from = Math.max(seq, state.first_seq);
        return state.last_seq < from ? [] : readHeaders(connection, stream, from, state.last_seq);
      }),
    readersFloor: () =>
      onNats('JetStream', async () => {
        const jsm = await manager();
        const floors = await Promise.all(
          CHAIN_READERS.map((reader) => ackFloor(jsm, stream, reader)),
        );
        return floors.reduce<number | null>(
          (least, floor) => (least === null || floor === null ? null : Math.min(least, floor)),
          Number.MAX_SAFE_INTEGER,
        );
      }),
    purge: (seq) =>
      onNats('JetStream', async () => {
        // JetStream purges up to but excluding the sequence.
        await (await manager()).streams.purge(stream, { seq: seq + 1 });
      }),
  };
};
