import type { NatsConnection } from 'nats';
import { errorMessage, RetryableError } from './errors.ts';
import { JETSTREAM_TIMEOUT_MS } from './nats.ts';

/** A durable reader of a stream and what it has yet to do. */
export interface ReaderState {
  readonly stream: string;
  readonly name: string;
  /** Messages not handed to it yet. */
  readonly pending: number;
  /** Handed out, not confirmed yet. */
  readonly unconfirmed: number;
  /** Of them handed out more than once. */
  readonly redelivered: number;
}

/** What a stream holds. */
export interface StreamState {
  readonly stream: string;
  readonly messages: number;
  readonly bytes: number;
  /** Bytes it may hold. */
  readonly bytesMax: number;
}

/** How full streams are and how far their readers have come. */
export interface StreamStates {
  /** Durable readers of all streams. */
  readers(): Promise<ReaderState[]>;
  /** All streams. */
  streams(): Promise<StreamState[]>;
  /** Messages of one stream. */
  messages(stream: string): Promise<number>;
}

/** States by JetStream's own account. Rejects with RetryableError while NATS is away. */
export const createStreamStates = (connection: NatsConnection): StreamStates => {
  const asked = async <T>(
    ask: (jsm: Awaited<ReturnType<NatsConnection['jetstreamManager']>>) => Promise<T>,
  ): Promise<T> => {
    try {
      return await ask(await connection.jetstreamManager({ timeout: JETSTREAM_TIMEOUT_MS }));
    } catch (error) {
      throw new RetryableError(`JetStream: ${errorMessage(error)}`, { cause: error });
    }
  };
  return {
    readers: () =>
      asked(async (jsm) => {
        const states: ReaderState[] = [];
        for (const stream of await jsm.streams.names().next()) {
          for await (const info of jsm.consumers.list(stream)) {
            if (info.config.durable_name === undefined) continue;
            states.push({
              stream,
              name: info.name,
              pending: info.num_pending,
              unconfirmed: info.num_ack_pending,
              redelivered: info.num_redelivered,
            });
          }
        }
        return states;
      }),
    streams: () =>
      asked(async (jsm) => {
        const states: StreamState[] = [];
        for await (const { config, state } of jsm.streams.list()) {
          const { messages, bytes } = state;
          states.push({ stream: config.name, messages, bytes, bytesMax: config.max_bytes });
        }
        return states;
      }),
    messages: (stream) => asked(async (jsm) => (await jsm.streams.info(stream)).state.messages),
  };
};
