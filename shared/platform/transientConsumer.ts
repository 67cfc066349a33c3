import { AckPolicy, type ConsumerConfig, type NatsConnection, nanos } from 'nats';
import { JETSTREAM_TIMEOUT_MS, jetStreamManager } from './nats.ts';

/** The server removes the consumer of a dead process after this long without a request. */
const KEPT_MS = 30_000;

/**
 * Creates a consumer for one reading, without acknowledgements, with as many replicas as its stream. The client's
 * ordered consumer has only one replica. The cluster may place it on a server that is down, and the client then asks
 * for the same one for minutes.
 * @throws NatsError
 */
export const createTransientConsumer = async (
  connection: NatsConnection,
  stream: string,
  config: Partial<ConsumerConfig>,
) => {
  const jsm = await jetStreamManager(connection);
  const { num_replicas } = (await jsm.streams.info(stream)).config;
  const { name, num_pending: pending } = await jsm.consumers.add(stream, {
    ...config,
    ack_policy: AckPolicy.None,
    mem_storage: true,
    inactive_threshold: nanos(KEPT_MS),
    num_replicas,
  });
  const consumer = await connection
    .jetstream({ timeout: JETSTREAM_TIMEOUT_MS })
    .consumers.get(stream, name);
  const remove = async (): Promise<void> => {
    await jsm.consumers.delete(stream, name).catch(() => false);
  };
  return {
    consumer,
    /** Number of pending messages when it was created. */
    pending,
    remove,
  };
};
