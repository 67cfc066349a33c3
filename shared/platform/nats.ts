import {
  AckPolicy,
  type ConsumerConfig,
  connect,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
  nanos,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from 'nats';
import {
  analyzeConsumer,
  analyzeSubject,
  CHAIN_READERS,
  chainStream,
  chainSubject,
  DEAD_LETTER_STREAM,
  DEAD_LETTER_SUBJECTS,
  EVENTS_STREAM,
  EVENTS_SUBJECTS,
  JOBS_STREAM,
  JOBS_SUBJECTS,
  PUSH_CONSUMER,
  PUSHED_SUBJECTS,
} from '../messages/subjects.ts';
import { errorMessage, RetryableError } from './errors.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_WAIT_MS = 500;
/**
 * A server that is frozen or cut off closes no connection: the connection is dropped after two unanswered pings.
 */
const PING_EVERY_MS = 2_000;
const PINGS_UNANSWERED_MAX = 2;
/** Milliseconds that one JetStream API request may take. */
export const JETSTREAM_TIMEOUT_MS = 5_000;

/**
 * The JetStream management interface. Opening it sends no request, so it does not fail while the server is
 * unavailable.
 */
export const jetStreamManager = (connection: NatsConnection): Promise<JetStreamManager> =>
  connection.jetstreamManager({ timeout: JETSTREAM_TIMEOUT_MS, checkAPI: false });

/**
 * A request to NATS whose failure is temporary. @param what prefix of the error message. @throws RetryableError
 */
export const onNats = async <T>(what: string, request: () => Promise<T>): Promise<T> => {
  try {
    return await request();
  } catch (error) {
    throw new RetryableError(`${what}: ${errorMessage(error)}`, { cause: error });
  }
};

const NOT_FOUND = 404;

/** JetStream's answer; undefined for a stream, consumer or message that does not exist. */
export const ifThere = async <T>(request: Promise<T>): Promise<T | undefined> => {
  try {
    return await request;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === NOT_FOUND) return undefined;
    throw error;
  }
};

const GIB = 1024 ** 3;
/** Maximum bytes of a chain's stream before the watcher must wait for its readers. */
const CHAIN_STREAM_BYTES_MAX = 2 * GIB;
const EVENTS_STREAM_BYTES_MAX = GIB;
const JOBS_STREAM_BYTES_MAX = GIB / 4;
const DEAD_LETTER_STREAM_BYTES_MAX = GIB / 4;
/** A message published again within this window is recognised by its message id. */
const DUPLICATE_WINDOW_MS = 10 * 60_000;
const EVENTS_KEPT_MS = 24 * 3_600_000;
const JOBS_KEPT_MS = 3_600_000;
const DEAD_LETTERS_KEPT_MS = 30 * 24 * 3_600_000;

/** Key-value bucket of the leases: see `lease.ts`. */
export const LEASE_BUCKET = 'LEASES';
/** A holder that died loses its lease after this long. */
export const LEASE_MS = 5_000;

/** Key-value bucket of the last heartbeats of roles: see `heartbeat.ts`. */
export const HEARTBEAT_BUCKET = 'HEARTBEATS';

/**
 * Messages held by a reader of a chain or of events that died, or whose server died, are delivered again after this
 * long without a heartbeat.
 */
export const ACK_WAIT_MS = 5_000;
/** Milliseconds between heartbeats of such a reader. */
export const ACK_HEARTBEAT_MS = ACK_WAIT_MS / 3;
/**
 * Unacknowledged chain messages that a reader may hold: one full batch of `BATCH_BYTES_MAX` and most of the next,
 * some 10 MB.
 */
export const CHAIN_PENDING_MAX = 96;
const JOB_ACK_WAIT_MS = 30_000;
const JOBS_PENDING_MAX = 16;
/** Events that push processes may hold before their deliveries are scheduled. */
const PUSH_PENDING_MAX = 1_024;
/** Attempts at a job before it becomes a dead letter. */
export const JOB_DELIVERIES_MAX = 3;

/**
 * Connects, and reconnects forever. The first connection must succeed.
 * @param urls comma-separated servers of one cluster, of which one must answer.
 */
export const connectNats = (urls: string, name: string): Promise<NatsConnection> =>
  onNats('NATS', () => {
    const servers = urls.split(',').map((url) => new URL(url.trim()));
    return connect({
      servers: servers.map(({ protocol, host }) => `${protocol}//${host}`),
      ...credentialsOf(servers),
      name,
      timeout: CONNECT_TIMEOUT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_WAIT_MS,
      pingInterval: PING_EVERY_MS,
      maxPingOut: PINGS_UNANSWERED_MAX,
    });
  });

/** Extracts user and password from the server URLs: the client would treat them as part of the address. */
const credentialsOf = (servers: readonly URL[]): { user?: string; pass?: string } => {
  const found = servers.find(({ username }) => username !== '');
  if (!found) return {};
  return { user: decodeURIComponent(found.username), pass: decodeURIComponent(found.password) };
};

const streamConfigs = (chainIds: readonly number[]): Partial<StreamConfig>[] => [
  ...chainIds.map((chainId) => ({
    name: chainStream(chainId),
    subjects: [chainSubject(chainId)],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    max_bytes: CHAIN_STREAM_BYTES_MAX,
  })),
  {
    name: EVENTS_STREAM,
    subjects: [...EVENTS_SUBJECTS],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_bytes: EVENTS_STREAM_BYTES_MAX,
    max_age: nanos(EVENTS_KEPT_MS),
  },
  {
    name: JOBS_STREAM,
    subjects: [...JOBS_SUBJECTS],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    max_bytes: JOBS_STREAM_BYTES_MAX,
    max_age: nanos(JOBS_KEPT_MS),
  },
  {
    name: DEAD_LETTER_STREAM,
    subjects: [...DEAD_LETTER_SUBJECTS],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    max_bytes: DEAD_LETTER_STREAM_BYTES_MAX,
    max_age: nanos(DEAD_LETTERS_KEPT_MS),
  },
  // The stream behind a key-value bucket: `connection.jetstream().views.kv` binds to it.
  {
    name: `KV_${LEASE_BUCKET}`,
    subjects: [`$KV.${LEASE_BUCKET}.>`],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    max_msgs_per_subject: 1,
    max_age: nanos(LEASE_MS),
    duplicate_window: nanos(LEASE_MS),
    allow_rollup_hdrs: true,
  },
  {
    name: `KV_${HEARTBEAT_BUCKET}`,
    subjects: [`$KV.${HEARTBEAT_BUCKET}.>`],
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.New,
    max_msgs_per_subject: 1,
    allow_rollup_hdrs: true,
  },
];

const ensureStream = async (jsm: JetStreamManager, config: Partial<StreamConfig>) => {
  const complete = {
    storage: StorageType.File,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    allow_direct: true,
    ...config,
  };
  const name = config.name ?? '';
  if (await ifThere(jsm.streams.info(name))) await jsm.streams.update(name, complete);
  else await jsm.streams.add(complete);
};

/**
 * Creates a durable consumer if it is missing; unacknowledged messages are delivered again. An existing one from an
 * earlier release gets this release's wait time.
 */
export const ensureConsumer = async (
  jsm: JetStreamManager,
  stream: string,
  config: Partial<ConsumerConfig> & { readonly durable_name: string; readonly ack_wait: number },
): Promise<void> => {
  const { durable_name: durable, ack_wait } = config;
  const there = await ifThere(jsm.consumers.info(stream, durable));
  if (!there) await jsm.consumers.add(stream, { max_deliver: -1, ...config });
  else if (there.config.ack_wait !== ack_wait) {
    await jsm.consumers.update(stream, durable, { ack_wait });
  }
};

/**
 * Whether a stream lost its tail: it assigns the same sequences again, and a durable consumer that is ahead of it
 * would wait silently forever.
 * @param handled last sequence that its reader handled, acknowledged or not
 */
export const isAheadOfStream = async (
  jsm: JetStreamManager,
  stream: string,
  durable: string,
  handled = 0,
): Promise<boolean> => {
  const consumer = await ifThere(jsm.consumers.info(stream, durable));
  // Requested last, so that it includes messages that arrived meanwhile.
  const { state } = await jsm.streams.info(stream);
  return state.last_seq < Math.max(handled, consumer?.ack_floor.stream_seq ?? 0);
};

/** Creates the durable consumer of one chain reader if it is missing. */
export const ensureChainConsumer = (
  jsm: JetStreamManager,
  chainId: number,
  reader: string,
): Promise<void> =>
  ensureConsumer(jsm, chainStream(chainId), {
    durable_name: reader,
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.All,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: CHAIN_PENDING_MAX,
  });

const ensureJobConsumer = (jsm: JetStreamManager, chainId: number): Promise<void> =>
  ensureConsumer(jsm, JOBS_STREAM, {
    durable_name: analyzeConsumer(chainId),
    filter_subject: analyzeSubject(chainId),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(JOB_ACK_WAIT_MS),
    max_ack_pending: JOBS_PENDING_MAX,
  });

/** Creates the consumer that feeds webhooks. It starts with the next message. */
export const ensurePushConsumer = (
  jsm: JetStreamManager,
  deliverPolicy: DeliverPolicy = DeliverPolicy.New,
): Promise<void> =>
  ensureConsumer(jsm, EVENTS_STREAM, {
    durable_name: PUSH_CONSUMER,
    filter_subjects: [...PUSHED_SUBJECTS],
    deliver_policy: deliverPolicy,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: PUSH_PENDING_MAX,
  });

/**
 * Creates every missing stream and durable consumer. Each role calls this first, so that roles can start in any order
 * and no reader misses a message.
 * @param replicas servers of the cluster that store each stream; existing streams are changed to this number.
 */
export const ensureStreams = (
  connection: NatsConnection,
  chainIds: readonly number[],
  replicas = 1,
): Promise<void> =>
  onNats('JetStream', async () => {
    const jsm = await connection.jetstreamManager({ timeout: JETSTREAM_TIMEOUT_MS });
    for (const config of streamConfigs(chainIds)) {
      await ensureStream(jsm, { ...config, num_replicas: replicas });
    }
    for (const chainId of chainIds) {
      for (const reader of CHAIN_READERS) await ensureChainConsumer(jsm, chainId, reader);
      await ensureJobConsumer(jsm, chainId);
    }
    await ensurePushConsumer(jsm);
  });
