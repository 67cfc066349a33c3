import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { headers, type JsMsg, type NatsConnection } from 'nats';
import { systemClock } from './clock.ts';
import { createEventLog } from './eventLog.ts';
import { silentLogger } from './logger.ts';

const CHECK_MS = 10_000;

const messageAt = (seq: number): JsMsg => {
  const fields = headers();
  fields.set('Nats-Msg-Id', `message ${seq}`);
  const info = { deliverySequence: seq };
  return { seq, subject: 'alert.fam', data: new Uint8Array(), headers: fields, info } as JsMsg;
};

/** A log whose messages and length the test controls. */
const createFakeLog = () => {
  const waiting: ((message: JsMsg | undefined) => void)[] = [];
  const asked: ((stored: number) => void)[] = [];
  const info = () =>
    new Promise((resolve) =>
      asked.push((stored) => resolve({ state: { last_seq: stored }, config: { num_replicas: 1 } })),
    );
  const consume = async () => ({
    stop: () => waiting.shift()?.(undefined),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const message = await new Promise<JsMsg | undefined>((resolve) => waiting.push(resolve));
        if (!message) return;
        yield message;
      }
    },
  });
  const connection = {
    jetstreamManager: async () => ({
      streams: { info },
      consumers: {
        add: async () => ({ name: 'reader', num_pending: 0 }),
        delete: async () => true,
      },
    }),
    jetstream: () => ({ consumers: { get: async () => ({ consume }) } }),
  } as unknown as NatsConnection;
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await turn();
  };
  return {
    connection,
    send: async (seq: number) => {
      await until(() => waiting.length > 0);
      waiting.shift()?.(messageAt(seq));
      await turn();
    },
    reportStored: async (stored: number) => {
      await until(() => asked.length > 0);
      asked.shift()?.(stored);
      await turn();
    },
  };
};

it('went back where it lost what was seen, not where it grew while its length was on the way', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] });
  const fake = createFakeLog();
  const log = createEventLog({
    connection: fake.connection,
    clock: systemClock,
    logger: silentLogger,
  });
  const seen: string[] = [];
  const stop = new AbortController();
  const following = log.follow(
    {
      onStart: (seq) => seen.push(`start ${seq}`),
      onMessage: ({ seq }) => seen.push(`message ${seq}`),
      onReset: () => seen.push('reset'),
    },
    stop.signal,
  );
  await fake.reportStored(0);
  // Requested again when the consumer is created.
  await fake.reportStored(0);
  await fake.send(1);
  context.mock.timers.tick(CHECK_MS);
  await fake.send(2);
  await fake.reportStored(1);
  assert.deepEqual(seen, ['start 0', 'message 1', 'message 2']);
  context.mock.timers.tick(CHECK_MS);
  await fake.reportStored(1);
  assert.deepEqual(seen.slice(3), ['reset', 'start 1']);
  stop.abort();
  await following;
});
