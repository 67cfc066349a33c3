import type { Readable } from 'node:stream';
import type { Redis } from 'ioredis';
import type { WebSocket } from 'ws';
import type { PushEventType } from '../../shared/events/pushEvent.ts';
import {
  createAlertSettingsStore,
  createSettingsIndex,
} from '../../shared/families/alertSettingsStore.ts';
import { followChanges } from '../../shared/families/changes.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { EventLog } from '../../shared/platform/eventLog.ts';
import type { Logger } from '../../shared/platform/logger.ts';
import type { Caller } from '../accounts/admission.ts';
import { type KeyStore, keyChangedSchema } from '../accounts/keyStore.ts';
import type { Plans } from '../accounts/plans.ts';
import { openEventStream } from './eventStream.ts';
import { createHub } from './hub.ts';
import { createRegistry } from './registry.ts';
import { CLOSE, type SessionKind } from './session.ts';
import { openSocketSession } from './socketSession.ts';
import { createStreamLimit } from './streamLimit.ts';
import { createSubscribe } from './subscription.ts';

/** Maximum streams per process; further ones are refused so that open ones keep working. */
const STREAMS_MAX = 10_000;

/** Streams of events. */
export interface Streams {
  /** A permit for one more stream; undefined if the family already has as many as its tier allows. */
  acquirePermit(caller: Caller): Promise<string | undefined>;
  /** Whether this process has reached its maximum. */
  isFull(): boolean;
  openSocket(socket: WebSocket, caller: Caller, permit: string): void;
  /** @throws RetryableError if events are not available. */
  openEvents(request: {
    caller: Caller;
    permit: string;
    types: readonly PushEventType[];
    lastEventId: string | undefined;
  }): Readable;
}

/** Streams with the parts that maintain them. */
export interface RunningStreams extends Streams {
  /** Open streams by transport. */
  clients(): Readonly<Record<SessionKind, number>>;
  /** Reads events until `signal` aborts, then closes every stream. */
  run(signal: AbortSignal): Promise<void>;
}

/** Streams of this process, fed by one reader of the event log. */
export const createStreams = (args: {
  log: EventLog;
  redis: Redis;
  keys: Pick<KeyStore, 'find'>;
  plans: Plans;
  clock: Clock;
  logger: Logger;
}): RunningStreams => {
  const { log, redis, keys, plans, clock, logger } = args;
  const settings = createSettingsIndex(createAlertSettingsStore(redis));
  const wantsAlerts = (family: string): boolean =>
    settings.of(family).channels?.websocket !== false;
  const limit = createStreamLimit(redis);
  const registry = createRegistry({ keys, limit, clock, logger });
  const onReset = (): void => registry.closeAll(CLOSE.restart);
  const hub = createHub({ log, wantsAlerts, logger, onReset });
  const subscribe = createSubscribe({ hub, log, clock });
  const ports = { subscribe, registry, clock, logger };
  return {
    acquirePermit: async ({ family, tier }) => {
      const permit = await limit.acquire(family, plans[tier].streams);
      if (permit !== undefined) registry.expect(family, permit);
      return permit;
    },
    clients: () => registry.countByKind(),
    isFull: () => registry.count() >= STREAMS_MAX,
    openSocket: (socket, caller, permit) =>
      openSocketSession(ports, socket, { caller, id: permit }),
    openEvents: ({ permit, ...request }) => openEventStream(ports, { ...request, id: permit }),
    run: async (signal) => {
      const following = followChanges(
        { redis, clock, logger },
        {
          load: async () => {
            await settings.load();
            void registry.checkAllKeys();
          },
          apply: {
            settings: (message) => settings.apply(message),
            keys: (message) =>
              void registry.checkKey(keyChangedSchema.parse(JSON.parse(message)).keyId),
          },
        },
        signal,
      );
      await Promise.all([following, hub.run(signal), registry.run(signal)]);
      await registry.end();
    },
  };
};
