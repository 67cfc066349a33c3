import { type Tier, tierIncludes } from '../../shared/families/tier.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { KeyState, KeyStore } from '../accounts/keyStore.ts';
import { CLOSE, type CloseReason, type Session, type SessionKind } from './session.ts';
import type { StreamLimit } from './streamLimit.ts';

const TICK_MS = 1_000;
/** Seconds between two renewals of the permits of this process. */
const RENEW_EVERY_TICKS = 3;
/** Seconds between two checks of keys: the expiry of a key is not announced as a change. */
const CHECK_EVERY_TICKS = 30;
/**
 * Milliseconds between a permit and its stream: a client that disconnects in between does not release the permit.
 */
const OPENING_MS_MAX = 10_000;
/** Milliseconds for all clients together to read that the service stops. */
const END_MS_MAX = 2_000;
const END_POLL_MS = 20;
/** The lowest tier that has streams. */
const STREAMS_TIER: Tier = 'pro';

/** Why the streams of a key must be closed; undefined if they need not. */
const endOf = (key: KeyState | undefined, family: string): CloseReason | undefined => {
  if (key?.status !== 'active' || key.family !== family) return CLOSE.keyInvalid;
  return tierIncludes(key.tier, STREAMS_TIER) ? undefined : CLOSE.tier;
};

interface RegistryPorts {
  readonly keys: Pick<KeyStore, 'find'>;
  readonly limit: Pick<StreamLimit, 'renew' | 'release'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Releases a permit. */
type Release = (family: string, permit: string) => void;

/** Closes the streams of a key that is no longer valid. */
const createCheckKey =
  ({ keys, logger }: RegistryPorts, byKey: ReadonlyMap<string, ReadonlySet<Session>>) =>
  async (keyId: string): Promise<void> => {
    const group = byKey.get(keyId);
    if (!group) return;
    try {
      const key = await keys.find(keyId);
      for (const session of group) {
        const reason = endOf(key, session.caller.family);
        if (reason) session.close(reason);
      }
    } catch (error) {
      // Redis is unavailable: keys are checked again in half a minute.
      logger.warn({ err: error, keyId }, 'key of open streams not checked');
    }
  };

/** Permits whose streams are not open yet. */
const createOpenings = ({ clock, release }: { clock: Clock; release: Release }) => {
  const openings = new Map<string, { readonly family: string; readonly sinceMs: number }>();
  return {
    expect: (family: string, permit: string): void => {
      openings.set(permit, { family, sinceMs: clock.now() });
    },
    isOpen: (permit: string): void => {
      openings.delete(permit);
    },
    releaseOverdue: (nowMs: number): void => {
      for (const [permit, { family, sinceMs }] of openings) {
        if (nowMs - sinceMs < OPENING_MS_MAX) continue;
        openings.delete(permit);
        release(family, permit);
      }
    },
  };
};

/** Streams by key. */
export const createRegistry = (ports: RegistryPorts) => {
  const { limit, clock, logger } = ports;
  const byKey = new Map<string, Set<Session>>();
  const sessions = (): Session[] => [...byKey.values()].flatMap((group) => [...group]);
  const checkKey = createCheckKey(ports, byKey);
  const release: Release = (family, permit) => {
    limit.release(family, permit).catch((error) => {
      logger.debug({ err: error }, 'permit of a closed stream not released');
    });
  };
  const openings = createOpenings({ clock, release });
  const checkAllKeys = async (): Promise<void> => {
    for (const keyId of byKey.keys()) await checkKey(keyId);
  };

  return {
    /** Records a permit for a stream that will be added soon. */
    expect: openings.expect,
    add: (session: Session): void => {
      openings.isOpen(session.id);
      const group = byKey.get(session.caller.keyId) ?? new Set();
      byKey.set(session.caller.keyId, group.add(session));
      // The key may have been revoked between its check and now.
      void checkKey(session.caller.keyId);
    },
    remove: (session: Session): void => {
      const { keyId, family } = session.caller;
      const group = byKey.get(keyId);
      if (!group?.delete(session)) return;
      if (group.size === 0) byKey.delete(keyId);
      release(family, session.id);
    },
    /** Closes the streams of a key that is no longer valid. */
    checkKey,
    checkAllKeys,
    closeAll: (reason: CloseReason): void => {
      for (const session of sessions()) session.close(reason);
    },
    count: (): number => sessions().length,
    countByKind: (): Record<SessionKind, number> => {
      const counts = { websocket: 0, sse: 0 };
      for (const { kind } of sessions()) counts[kind] += 1;
      return counts;
    },
    /** Closes all streams, and terminates those that do not close in time. */
    end: async (): Promise<void> => {
      const endMs = clock.now() + END_MS_MAX;
      for (const session of sessions()) session.close(CLOSE.restart);
      while (byKey.size > 0 && clock.now() < endMs) await clock.sleep(END_POLL_MS);
      for (const session of sessions()) session.terminate();
    },
    /** Maintains all streams until `signal` aborts. */
    run: async (signal: AbortSignal): Promise<void> => {
      for (let tick = 1; !signal.aborted; tick += 1) {
        await clock.sleep(TICK_MS, signal);
        const nowMs = clock.now();
        for (const session of sessions()) session.tick(nowMs);
        openings.releaseOverdue(nowMs);
        if (byKey.size > 0 && tick % RENEW_EVERY_TICKS === 0) {
          const families = new Set(sessions().map(({ caller }) => caller.family));
          await limit.renew(families).catch((error) => {
            logger.warn({ err: error }, 'permits of open streams not renewed');
          });
        }
        if (tick % CHECK_EVERY_TICKS === 0) await checkAllKeys();
      }
    },
  };
};
/** The open streams of this process. */
export type Registry = ReturnType<typeof createRegistry>;
