import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import {
  AckPolicy,
  type Consumer,
  type ConsumerConfig,
  headers as createHeaders,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  type NatsConnection,
  RetentionPolicy,
  type StreamConfig,
} from 'nats';
import { z } from 'zod';
import { ifThere } from '../../shared/platform/nats.ts';
import { describeFile, type StreamBackup } from './manifest.ts';

/** Messages kept of a stream whatever the progress of its readers: what a watcher reads at its start. */
const KEPT_MESSAGES = 4_096;
/** Messages requested, or published, at a time. */
const MESSAGES_AT_ONCE = 64;
/** Buckets of leases, which expire by themselves within seconds. */
const BUCKET_PREFIX = 'KV_';
/** Headers with the publisher's expectations of the original stream. */
const EXPECTATION = /^Nats-Expected-/i;
const PULL_EXPIRES_MS = 5_000;

const messageSchema = z.object({
  seq: z.number(),
  subject: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  data: z.string(),
});
type StoredMessage = z.infer<typeof messageSchema>;

/** The state of a stream before the tables are read. */
export type StreamMark = {
  stream: string;
  config: StreamConfig;
  fromSeq: number;
  consumers: { config: ConsumerConfig; confirmedSeq: number }[];
};

/**
 * Records the position of every durable reader. Must run before the tables are read: what is acknowledged here is in
 * the tables; what is acknowledged later is handled again after a restore, without effect.
 */
export const markStreams = async (jsm: JetStreamManager): Promise<StreamMark[]> => {
  const marks: StreamMark[] = [];
  for await (const { config } of jsm.streams.list()) {
    if (config.name.startsWith(BUCKET_PREFIX)) continue;
    const consumers = [];
    for await (const { config: own, ack_floor } of jsm.consumers.list(config.name)) {
      if (own.durable_name === undefined) continue;
      consumers.push({ config: own, confirmedSeq: ack_floor.stream_seq });
    }
    const { state } = await jsm.streams.info(config.name);
    const unconfirmed = Math.min(...consumers.map(({ confirmedSeq }) => confirmedSeq + 1));
    const fromSeq = Math.max(
      1,
      state.first_seq,
      Math.min(state.last_seq - KEPT_MESSAGES + 1, unconfirmed),
    );
    marks.push({ stream: config.name, config, fromSeq, consumers });
  }
  return marks;
};

const readMessage = async (
  jsm: JetStreamManager,
  stream: string,
  seq: number,
): Promise<StoredMessage[]> => {
  const message = await ifThere(jsm.streams.getMessage(stream, { seq }));
  // Acknowledged messages of a work queue no longer exist.
  if (!message) return [];
  const { subject, header, data } = message;
  const pairs = [...header].flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const headers = pairs.filter(([name]) => !EXPECTATION.test(name));
  return [{ seq, subject, headers, data: Buffer.from(data).toString('base64') }];
};

const readMessages = async function* (
  jsm: JetStreamManager,
  stream: string,
  range: { from: number; to: number },
): AsyncGenerator<StoredMessage[]> {
  for (let seq = range.from; seq <= range.to; seq += MESSAGES_AT_ONCE) {
    const length = Math.min(MESSAGES_AT_ONCE, range.to - seq + 1);
    const sequences = Array.from({ length }, (_, index) => seq + index);
    const found = await Promise.all(sequences.map((one) => readMessage(jsm, stream, one)));
    yield found.flat();
  }
};

/** Throws an error if the stream was trimmed beyond the recorded position: then something may be missing. */
const assertWhole = async (jsm: JetStreamManager, { stream, config, fromSeq }: StreamMark) => {
  const { state } = await jsm.streams.info(stream);
  const isQueue = config.retention === RetentionPolicy.Workqueue;
  if (!isQueue && state.first_seq > fromSeq) {
    throw new Error(`${stream} was trimmed while it was read: try again`);
  }
  return state.last_seq;
};

/**
 * Writes the end of a stream to `<stream>.jsonl.gz`, up to now. Must run after the tables were read, so that they
 * contain nothing that is not in the stream.
 */
export const dumpStream = async (
  jsm: JetStreamManager,
  folder: string,
  mark: StreamMark,
): Promise<StreamBackup> => {
  const { stream, config, fromSeq, consumers } = mark;
  const to = await assertWhole(jsm, mark);
  const file = `${stream}.jsonl.gz`;
  let messages = 0;
  const lines = async function* (): AsyncGenerator<string> {
    for await (const page of readMessages(jsm, stream, { from: fromSeq, to })) {
      messages += page.length;
      yield page.map((message) => `${JSON.stringify(message)}\n`).join('');
    }
  };
  await pipeline(lines, createGzip(), createWriteStream(join(folder, file), { mode: 0o600 }));
  await assertWhole(jsm, mark);
  const described = await describeFile(folder, file);
  return {
    stream,
    config: { ...config },
    messages,
    consumers: consumers.map((one) => ({ ...one, config: { ...one.config } })),
    ...described,
  };
};

/** Names of the streams that hold messages. */
export const usedStreams = async (jsm: JetStreamManager): Promise<string[]> => {
  const names: string[] = [];
  for await (const { config, state } of jsm.streams.list()) {
    if (!config.name.startsWith(BUCKET_PREFIX) && state.last_seq > 0) names.push(config.name);
  }
  return names;
};

/** Removes every stream, and so the readers' positions. */
export const removeStreams = async (jsm: JetStreamManager): Promise<void> => {
  const streams = await jsm.streams.list().next();
  const names = streams.map(({ config }) => config.name);
  for (const name of names.filter((one) => !one.startsWith(BUCKET_PREFIX))) {
    await jsm.streams.delete(name);
  }
};

/** Publishes in the same order. Resolves to the new sequence of each old one. */
const publishAll = async (
  jetstream: JetStreamClient,
  path: string,
): Promise<Map<number, number>> => {
  const places = new Map<number, number>();
  let sending: Promise<void>[] = [];
  const lines = createInterface({ input: createReadStream(path).pipe(createGunzip()) });
  for await (const line of lines) {
    const { seq, subject, headers, data } = messageSchema.parse(JSON.parse(line));
    const all = createHeaders();
    for (const [name, value] of headers) all.append(name, value);
    const sent = jetstream.publish(subject, Buffer.from(data, 'base64'), { headers: all });
    sending.push(sent.then((ack) => void places.set(seq, ack.seq)));
    if (sending.length < MESSAGES_AT_ONCE) continue;
    await Promise.all(sending);
    sending = [];
  }
  await Promise.all(sending);
  return places;
};

/** Takes the next `count` messages of a reader. Throws an error if fewer arrive. */
const take = async (reader: Consumer, count: number): Promise<JsMsg[]> => {
  const messages: JsMsg[] = [];
  const batch = await reader.fetch({ max_messages: count, expires: PULL_EXPIRES_MS });
  for await (const message of batch) messages.push(message);
  if (messages.length < count) throw new Error(`only ${messages.length} of ${count} messages came`);
  return messages;
};

/**
 * Restores a reader's position by acknowledging the same messages again. What it may have held counts as delivered
 * before.
 */
const restoreReader = async (
  connection: NatsConnection,
  stream: string,
  consumer: { config: ConsumerConfig; confirmedSeq: number },
): Promise<void> => {
  const {
    num_replicas: _replicas,
    name: _name,
    opt_start_seq: _start,
    ...config
  } = consumer.config;
  const jsm = await connection.jetstreamManager();
  const info = await jsm.consumers.add(stream, { ...config, deliver_policy: DeliverPolicy.All });
  const reader = await connection.jetstream().consumers.get(stream, info.name);
  const atOnce = Math.min(MESSAGES_AT_ONCE, info.config.max_ack_pending ?? MESSAGES_AT_ONCE);
  const held: JsMsg[] = [];
  for (let left = info.num_pending; left > 0 && held.length === 0; ) {
    const messages = await take(reader, Math.min(atOnce, left));
    left -= messages.length;
    const confirmed = messages.filter(({ seq }) => seq <= consumer.confirmedSeq);
    held.push(...messages.slice(confirmed.length));
    const isTogether = config.ack_policy === AckPolicy.All;
    for (const message of isTogether ? confirmed.slice(-1) : confirmed) await message.ackAck();
  }
  for (const message of held) message.nak();
  await connection.flush();
};

/** Recreates a stream with its messages, under new sequences, and its readers at their positions. */
export const loadStream = async (
  connection: NatsConnection,
  folder: string,
  saved: StreamBackup,
): Promise<void> => {
  const jsm = await connection.jetstreamManager();
  const {
    num_replicas: _replicas,
    placement: _placement,
    ...config
  } = saved.config as unknown as StreamConfig;
  await jsm.streams.add(config);
  const places = await publishAll(connection.jetstream(), join(folder, saved.file));
  if (places.size !== saved.messages) {
    throw new Error(`${saved.stream}: ${places.size} messages instead of ${saved.messages}`);
  }
  for (const { config: own, confirmedSeq } of saved.consumers) {
    const confirmed = [...places].filter(([old]) => old <= confirmedSeq).map(([, seq]) => seq);
    await restoreReader(connection, saved.stream, {
      config: own as unknown as ConsumerConfig,
      confirmedSeq: Math.max(0, ...confirmed),
    });
  }
};
