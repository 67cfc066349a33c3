import type { NatsConnection } from 'nats';

/** A message as a stream holds it. */
export interface StreamEntry {
  readonly subject: string;
  readonly data: Uint8Array;
}

/** Everything a stream holds, in order. */
export const streamEntries = async (
  connection: NatsConnection,
  stream: string,
): Promise<StreamEntry[]> => {
  const jsm = await connection.jetstreamManager();
  const { state } = await jsm.streams.info(stream);
  const entries: StreamEntry[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const { subject, data } = await jsm.streams.getMessage(stream, { seq });
    entries.push({ subject, data });
  }
  return entries;
};
