import type { Hex } from '../../../shared/chain/block.ts';
import type { ChainEvent, ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { factVersion, tombstoneVersion } from '../../../shared/chain/version.ts';
import type { Alert, AlertMessage } from '../../../shared/messages/alertMessage.ts';
import type { WatchItem } from '../../../shared/messages/watchMessage.ts';
import { type Alerter, type AlerterPorts, createAlerter } from '../alerter.ts';
import { timeOfId } from '../alertId.ts';
import type { AlertStore } from '../alertStore.ts';
import { DEDUPE_WINDOW_S, type StoredAlert } from '../raise/settle.ts';
import { createWatchTable } from '../watch/watchTable.ts';
import { CHAIN_ID, CREATOR, PRICING } from './chainBuilder.ts';

type SequencedEvent = Parameters<Alerter['recall']>[0];

/** The alerts table in memory: the highest version of a key wins. */
const createFakeStore = (): AlertStore & { rows: Map<string, StoredAlert> } => {
  const rows = new Map<string, StoredAlert>();
  const write = (alerts: readonly Alert[], version: number, isWithdrawn: boolean): void => {
    for (const alert of alerts) {
      const key = `${alert.family}:${alert.id}`;
      if ((rows.get(key)?.version ?? -1) <= version) rows.set(key, { alert, version, isWithdrawn });
    }
  };
  return {
    rows,
    recent: async (families, { firstS, lastS }) =>
      [...rows.values()].filter(
        ({ alert }) =>
          families.includes(alert.family) &&
          timeOfId(alert.id) >= firstS - DEDUPE_WINDOW_S &&
          timeOfId(alert.id) <= lastS,
      ),
    raise: async (alerts, epoch) => write(alerts, factVersion(epoch), false),
    onOrphaned: async ({ epoch, orphaned }) => {
      const hashes = new Set(orphaned.map(({ hash }) => hash));
      const version = tombstoneVersion(epoch);
      return [...rows.values()]
        .filter((row) => hashes.has(row.alert.blockHash) && row.version <= version)
        .filter((row) => !row.isWithdrawn || row.version === version)
        .map(({ alert }) => alert);
    },
    withdraw: async (alerts, { epoch }) => write(alerts, tombstoneVersion(epoch), true),
  };
};

/** A stream, a store and an outbox that outlive any number of alerters. */
export const createBench = (interrupt: () => void = () => undefined) => {
  const stream: SequencedEvent[] = [];
  const store = createFakeStore();
  const table = createWatchTable(1);
  const outbox = new Map<string, AlertMessage>();
  const interrupted =
    <A extends readonly unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      interrupt();
      const result = await work(...args);
      interrupt();
      return result;
    };
  const ports: AlerterPorts = {
    chainId: CHAIN_ID,
    pricing: PRICING,
    watches: table,
    index: {
      pools: interrupted(async () => []),
      profiles: interrupted(async (tokens: readonly Hex[]) =>
        tokens.map((token) => ({ token, name: 'Moon', symbol: 'MOON', creator: CREATOR })),
      ),
    },
    store: {
      recent: interrupted((...args: Parameters<AlertStore['recent']>) => store.recent(...args)),
      raise: interrupted((...args: Parameters<AlertStore['raise']>) => store.raise(...args)),
      onOrphaned: interrupted((reorg: ReorgEvent) => store.onOrphaned(reorg)),
      withdraw: interrupted((...args: Parameters<AlertStore['withdraw']>) =>
        store.withdraw(...args),
      ),
    },
    publish: interrupted(async (message: AlertMessage) => {
      if (!outbox.has(message.eventId)) outbox.set(message.eventId, message);
    }),
    clock: { now: () => 0 },
  };
  return {
    stream,
    add: (...events: readonly ChainEvent[]): void => {
      for (const event of events) stream.push({ seq: stream.length + 1, event });
    },
    watch: (item: WatchItem): void => table.put(item),
    unwatch: (item: WatchItem): void => void table.remove(item),
    /** A process that has just started. */
    start: () => createAlerter(ports),
    /** Alerts in force. */
    alerts: (): Alert[] =>
      [...store.rows.values()]
        .filter(({ isWithdrawn }) => !isWithdrawn)
        .map(({ alert }) => alert)
        .toSorted((a, b) => a.id - b.id),
    sent: (): AlertMessage[] => [...outbox.values()],
  };
};
