import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { type KV, type NatsConnection, NatsError } from 'nats';
import { z } from 'zod';
import type { Clock } from './clock.ts';
import { errorMessage, FatalError, RetryableError } from './errors.ts';
import type { Logger } from './logger.ts';
import { LEASE_BUCKET, LEASE_MS, onNats } from './nats.ts';
import { identify, isRunning } from './processIdentity.ts';

const RENEW_EVERY_MS = 1_000;
/** Milliseconds that one request to NATS may take. */
const REQUEST_MS_MAX = 1_000;
/**
 * A holder that could not renew for this long stops. It may notice that one pause and one request later, which is
 * still before the server expires the lease.
 */
const RENEWAL_GAP_MS_MAX = LEASE_MS - RENEW_EVERY_MS - REQUEST_MS_MAX;
/**
 * Milliseconds for which work may continue after its lease was lost: longer than building the graph of a large chain
 * takes.
 */
const WORK_END_MS_MAX = 5 * 60_000;
/** Milliseconds between attempts to take a lease. */
const TRY_EVERY_MS = 250;
/** JetStream's error code for a key that another process has written: nats-server `errors.json`. */
const WRONG_LAST_SEQUENCE = 10071;

export interface LeaseParts {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Another process may hold the lease by now. */
class LeaseLostError extends RetryableError {}

/** The holder of a lease. Processes with the same `machine` can see each other's pids. */
const holderSchema = z.object({
  id: z.string(),
  /** The boot of the machine, and the namespace in which pids are valid. */
  machine: z.string(),
  pid: z.number(),
  startTime: z.string(),
});
type Holder = z.infer<typeof holderSchema>;

/** This process as the holder of one lease. */
const ownHolder = (): Holder => {
  const { pid, startTime, bootId } = identify(process.pid) ?? {
    pid: process.pid,
    startTime: '',
    bootId: '',
  };
  const machine = `${bootId} ${readlinkSync('/proc/self/ns/pid')}`;
  return { id: randomUUID(), machine, pid, startTime };
};

interface Contender extends LeaseParts {
  readonly kv: KV;
  readonly name: string;
  readonly holder: Holder;
  readonly text: string;
}

/**
 * Runs `work` while this process is the only holder of the lease with this name. Waits while another process holds
 * it, and again after losing it. The signal passed to `work` aborts with `signal`, or when the lease is lost; `work`
 * must then end soon. Writes that outlive the loss for a moment must be rejected by their target, or be harmless: see
 * SCALING.md.
 * @throws FatalError if work does not end: only ending the process then stops it.
 */
export const withLeadership = async (
  parts: LeaseParts,
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const holder = ownHolder();
  const kv = await openBucket(parts.connection);
  const contender = { ...parts, kv, name, holder, text: JSON.stringify(holder) };
  while (!signal.aborted) {
    const revision = await waitFor(contender, signal);
    if (revision === undefined) return;
    parts.logger.info({ lease: name }, 'lease taken');
    if (!(await hold(contender, revision, signal, work)).isLost) return;
    parts.logger.warn({ lease: name }, 'lease lost: waiting for it');
  }
};

const openBucket = (connection: NatsConnection): Promise<KV> =>
  onNats('leases', () => {
    const jetstream = connection.jetstream({ timeout: REQUEST_MS_MAX });
    return jetstream.views.kv(LEASE_BUCKET, { bindOnly: true });
  });

/** Resolves to the revision under which the lease is held; undefined if `signal` aborted first. */
const waitFor = async (contender: Contender, signal: AbortSignal): Promise<number | undefined> => {
  while (!signal.aborted) {
    const revision = await take(contender);
    if (revision !== undefined && !signal.aborted) return revision;
    if (revision !== undefined) await release(contender, revision);
    else await contender.clock.sleep(TRY_EVERY_MS, signal);
  }
  return undefined;
};

/**
 * The revision under which the lease is held; undefined while another process holds it or NATS does not answer.
 */
const take = async (contender: Contender): Promise<number | undefined> => {
  const { kv, name, text, holder, logger } = contender;
  try {
    const entry = await kv.get(name);
    if (!entry || entry.operation !== 'PUT') return await kv.create(name, text);
    // The entry is its own: an earlier answer was lost, and no other process has held the lease since.
    const isFree = entry.string() === text || isDead(entry.string(), holder);
    return isFree ? await kv.update(name, text, entry.revision) : undefined;
  } catch (error) {
    logger.debug({ err: error, lease: name }, 'lease not taken');
    return undefined;
  }
};

/** Whether a holder has certainly ended, which is known only for processes on this machine. */
const isDead = (text: string, { machine }: Holder): boolean => {
  const holder = holderSchema.parse(JSON.parse(text));
  const bootId = machine.split(' ')[0] ?? '';
  return holder.machine === machine && !isRunning({ ...holder, bootId });
};

const release = async ({ kv, name }: Contender, revision: number): Promise<void> => {
  await kv.delete(name, { previousSeq: revision }).catch(() => undefined);
};

/** Works under the lease until `signal` aborts or the lease is lost, then releases it. */
const hold = async (
  contender: Contender,
  revision: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<{ isLost: boolean }> => {
  const ended = new AbortController();
  const worked = new AbortController();
  const lease = { revision };
  const renewing = keepRenewed(contender, lease, AbortSignal.any([signal, ended.signal]));
  renewing.catch((error: unknown) => ended.abort(error));
  try {
    const working = work(AbortSignal.any([signal, ended.signal]));
    await Promise.race([working, failWhenOverdue(contender, ended.signal, worked.signal)]);
  } catch (error) {
    // Interrupted work may fail because of the interruption.
    if (!(error instanceof RetryableError) || !isLost(ended.signal)) throw error;
  } finally {
    worked.abort();
    ended.abort();
    await renewing.catch(() => undefined);
    if (!isLost(ended.signal)) await release(contender, lease.revision);
  }
  return { isLost: isLost(ended.signal) };
};

/** @throws FatalError if work has not ended some time after its lease was lost. */
const failWhenOverdue = async (
  { clock, name }: Contender,
  lost: AbortSignal,
  worked: AbortSignal,
): Promise<void> => {
  await new Promise((resolve) => lost.addEventListener('abort', resolve));
  await clock.sleep(WORK_END_MS_MAX, worked);
  if (!worked.aborted) throw new FatalError(`lease ${name} was lost, and its work does not end`);
};

const isLost = ({ reason }: AbortSignal): boolean => reason instanceof LeaseLostError;

/** Renews until `signal` aborts. @throws LeaseLostError if another process may hold the lease. */
const keepRenewed = async (
  contender: Contender,
  lease: { revision: number },
  signal: AbortSignal,
): Promise<void> => {
  const { clock, name } = contender;
  let renewedMs = clock.now();
  while (!signal.aborted) {
    await clock.sleep(RENEW_EVERY_MS, signal);
    if (signal.aborted) break;
    const requestedMs = clock.now();
    try {
      lease.revision = await renew(contender, lease.revision);
      renewedMs = requestedMs;
    } catch (error) {
      // NATS may be unavailable for a moment: a lease is lost only if it is not renewed in time.
      const isTaken = error instanceof LeaseLostError;
      if (!isTaken && clock.now() - renewedMs < RENEWAL_GAP_MS_MAX) continue;
      throw new LeaseLostError(`lease ${name} lost: ${errorMessage(error)}`, { cause: error });
    }
  }
};

/** @throws LeaseLostError if another process holds the lease, or it expired. */
const renew = async ({ kv, name, text }: Contender, revision: number): Promise<number> => {
  try {
    return await kv.update(name, text, revision);
  } catch (error) {
    const code = error instanceof NatsError ? error.api_error?.err_code : undefined;
    if (code !== WRONG_LAST_SEQUENCE) throw error;
    // The update may have succeeded although its answer was lost.
    const entry = await kv.get(name);
    if (entry?.operation !== 'PUT' || entry.string() !== text) {
      throw new LeaseLostError('another process took it', { cause: error });
    }
    return entry.revision;
  }
};
