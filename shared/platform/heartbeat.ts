import type { KV, NatsConnection } from 'nats';
import {
  type BeatingRole,
  type ChainStatus,
  type Heartbeat,
  heartbeatKey,
  heartbeatSchema,
} from '../messages/heartbeat.ts';
import type { Clock } from './clock.ts';
import { errorMessage } from './errors.ts';
import type { Logger } from './logger.ts';
import { HEARTBEAT_BUCKET } from './nats.ts';

/**
 * Milliseconds to the next heartbeat while the node has not answered yet, which it usually does soon after the start.
 */
const SOON_MS = 250;
/** Milliseconds that one request to NATS may take. */
const ASK_MS_MAX = 2_000;

const openBucket = (connection: NatsConnection): Promise<KV> =>
  connection
    .jetstream({ timeout: ASK_MS_MAX })
    .views.kv(HEARTBEAT_BUCKET, { bindOnly: true, timeout: ASK_MS_MAX });

/** Publishes a heartbeat of the role every `everyMs`, until `signal` aborts. A failed one is skipped. */
export const beat = async (
  parts: {
    readonly connection: NatsConnection;
    readonly role: BeatingRole;
    readonly chainId: number;
    readonly everyMs: number;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly chain?: () => ChainStatus | undefined;
  },
  signal: AbortSignal,
): Promise<void> => {
  const { connection, role, chainId, everyMs, clock, logger, chain } = parts;
  let kv: KV | undefined;
  let hasFailed = false;
  while (!signal.aborted) {
    try {
      kv ??= await openBucket(connection);
      const heartbeat: Heartbeat = { v: 1, atMs: clock.now(), chain: chain?.() };
      await kv.put(heartbeatKey(role, chainId), JSON.stringify(heartbeat));
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) logger.warn({ err: error }, `heartbeat not sent: ${errorMessage(error)}`);
      hasFailed = true;
    }
    const isNodeUnknown = chain !== undefined && chain() === undefined;
    await clock.sleep(isNodeUnknown ? Math.min(SOON_MS, everyMs) : everyMs, signal);
  }
};

/** Reads the last heartbeats; undefined for a role that never sent one. Rejects while NATS is unavailable. */
export const createHeartbeatReader = (
  connection: NatsConnection,
  chainId: number,
): ((role: BeatingRole) => Promise<Heartbeat | undefined>) => {
  let kv: KV | undefined;
  return async (role) => {
    kv ??= await openBucket(connection);
    const entry = await kv.get(heartbeatKey(role, chainId));
    return entry?.operation === 'PUT' ? heartbeatSchema.parse(entry.json()) : undefined;
  };
};
