import type { NatsConnection } from 'nats';
import { jetStreamManager } from '../platform/nats.ts';

/** A message as a stream holds it. */
export interface StreamEntry {
  readonly subject: string;
  readonly data: Uint8Array;
}

/** Everything a stream holds from a sequence on, in order. */
export const readStream = async (
  connection: NatsConnection,
  stream: string,
  from = 1,
): Promise<StreamEntry[]> => {
  const jsm = await jetStreamManager(connection);
  const { state } = await jsm.streams.info(stream);
  const entries: StreamEntry[] = [];
  for (let seq = Math.max(from, state.first_seq, 1); seq <= state.last_seq; seq += 1) {
    entries.push(await jsm.streams.getMessage(stream, { seq }));
  }
  return entries;
};
