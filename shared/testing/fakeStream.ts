import type { MessageHeaders } from '../../pipeline/watcher/messageHeaders.ts';
import { AppendError, type AppendFailure, type ChainStream } from '../../pipeline/watcher/ports.ts';

import type { ChainEvent } from '../chain/chainEvent.ts';
import { decodeChainEvent } from '../messages/chainMessage.ts';

/** A message as the stream keeps it. */
export interface FakeMessage {
  readonly seq: number;
  readonly id: string;
  readonly headers: MessageHeaders;
  readonly data: Uint8Array;
}

/** What happens to one append: stored and confirmed, stored but never confirmed, or neither. */
export type AppendFate = 'ok' | 'unconfirmed' | AppendFailure;

export interface FakeStreamOptions {
  readonly bytesMax?: number;
  /** Decides the fate of every append. May throw to end the publisher as a crash would. */
  readonly fate?: (message: { id: string; headers: MessageHeaders }) => AppendFate;
}

/** JetStream's rules in memory: expected sequences, message ids, a full stream, purges. */
export interface FakeStream extends ChainStream {
  messages(): readonly FakeMessage[];
  /** All events in order. */
  events(): ChainEvent[];
  /** Loses the last messages, as a server killed before it synced does. */
  loseTail(count: number): void;
  /** Sets what every reader has acknowledged. */
  acknowledge(seq: number): void;
}

export const createFakeStream = (options: FakeStreamOptions = {}): FakeStream => {
  const { bytesMax = 2 * 1024 ** 3, fate = () => 'ok' } = options;
  let messages: FakeMessage[] = [];
  let firstSeq = 1;
  let lastSeq = 0;
  let floor: number | null = null;
  const bytes = (): number => messages.reduce((sum, message) => sum + message.data.length, 0);

  return {
    info: async () => ({ firstSeq, lastSeq, messages: messages.length, bytes: bytes(), bytesMax }),
    append: async (message, expectedLastSeq) => {
      const what = fate(message);
      if (what !== 'ok' && what !== 'unconfirmed')
        throw new AppendError(what, `fake stream: ${what}`);
      const known = messages.find(({ id }) => id === message.id);
      if (known) return { seq: known.seq };
      if (expectedLastSeq !== lastSeq)
        throw new AppendError('wrongLastSequence', `last is ${lastSeq}`);
      if (bytes() + message.data.length > bytesMax)
        throw new AppendError('full', 'maximum bytes exceeded');
      lastSeq += 1;
      messages.push({ seq: lastSeq, ...message });
      if (what === 'unconfirmed') throw new AppendError('unavailable', 'no confirmation');
      return { seq: lastSeq };
    },
    headersFrom: async (seq) =>
      messages.filter((one) => one.seq >= seq).map(({ headers }) => headers),
    readersFloor: async () => floor,
    purge: async (seq) => {
      messages = messages.filter((message) => message.seq > seq);
      firstSeq = Math.max(firstSeq, seq + 1);
    },
    messages: () => messages,
    events: () => messages.map(({ data }) => decodeChainEvent(data)),
    loseTail: (count) => {
      messages = messages.slice(0, messages.length - count);
      lastSeq -= count;
    },
    acknowledge: (seq) => {
      floor = seq;
    },
  };
};
