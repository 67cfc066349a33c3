import { randomUUID } from 'node:crypto';
import { type KV, type NatsConnection, StorageType } from 'nats';
import type { Clock } from '../runtime/clock.ts';
import { errorMessage, RetryableError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { JETSTREAM_TIMEOUT_MS } from './nats.ts';

const BUCKET = 'LEASES';
/** A holder that died loses its lease after this long. */
const LEASE_MS = 5_000;
const RENEW_EVERY_MS = 1_000;
/** One that waits looks this often. */
const TRY_EVERY_MS = 250;

interface LeaseParts {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Runs `work` while this process is the only one that holds the lease of this name; waits for it as long
 * as another does. The signal that `work` gets aborts with `signal`, or when the lease is lost.
 * @throws RetryableError when the lease was lost.
 */
export const withLease = async (
  parts: LeaseParts,
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const { connection, clock, logger } = parts;
  const kv = await openBucket(connection);
  const holder = randomUUID();
  let revision: number | undefined;
  while (revision === undefined) {
    revision = await take(kv, name, holder);
    if (signal.aborted) break;
    if (revision === undefined) await clock.sleep(TRY_EVERY_MS, signal);
  }
  if (revision === undefined || signal.aborted) return;
  logger.info({ lease: name }, 'lease taken');
  const lost = new AbortController();
  const renewing = keepRenewed(
    { kv, clock, name, holder, revision },
    AbortSignal.any([signal, lost.signal]),
  );
  renewing.catch((error: unknown) => lost.abort(error));
  try {
    await work(AbortSignal.any([signal, lost.signal]));
    if (lost.signal.aborted) throw lost.signal.reason;
  } finally {
    lost.abort();
    const last = await renewing.catch(() => undefined);
    if (last !== undefined) await kv.delete(name, { previousSeq: last }).catch(() => undefined);
  }
};

const openBucket = async (connection: NatsConnection): Promise<KV> => {
  try {
    return await connection
      .jetstream({ timeout: JETSTREAM_TIMEOUT_MS })
      .views.kv(BUCKET, { ttl: LEASE_MS, history: 1, storage: StorageType.File });
  } catch (error) {
    throw new RetryableError(`leases: ${errorMessage(error)}`, { cause: error });
  }
};

/** The revision under which the lease is held; undefined while another holds it or nobody can say. */
const take = async (kv: KV, name: string, holder: string): Promise<number | undefined> => {
  try {
    return await kv.create(name, holder);
  } catch {
    return undefined;
  }
};

/** Renews until `signal` aborts; resolves to the last revision. Rejects when another may hold the lease. */
const keepRenewed = async (
  args: { kv: KV; clock: Clock; name: string; holder: string; revision: number },
  signal: AbortSignal,
): Promise<number> => {
  const { kv, clock, name, holder } = args;
  let revision = args.revision;
  let renewedMs = clock.now();
  while (!signal.aborted) {
    await clock.sleep(RENEW_EVERY_MS, signal);
    if (signal.aborted) break;
    try {
      revision = await kv.update(name, holder, revision);
      renewedMs = clock.now();
    } catch (error) {
      // NATS may be away for a moment: only one that is not renewed in time is lost.
      if (clock.now() - renewedMs < LEASE_MS - RENEW_EVERY_MS) continue;
      throw new RetryableError(`lease ${name} lost: ${errorMessage(error)}`, { cause: error });
    }
  }
  return revision;
};
