import { Readable } from 'node:stream';
import type { Streams } from '../streams/createStreams.ts';

/** Streams on which nothing happens. */
export const createFakeStreams = (): Streams => ({
  acquirePermit: async () => 'permit_1',
  isFull: () => false,
  openSocket: (socket) => socket.close(),
  openEvents: () => Readable.from([': open\n\n']),
});
