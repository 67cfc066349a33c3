import type { Hex } from '../../../shared/chain/block.ts';
import type { ChainEvent } from '../../../shared/chain/chainEvent.ts';
import type { Alert, AlertMessage } from '../../../shared/messages/alertMessage.ts';
import type { AlertOverrides } from '../../../shared/messages/settingsMessage.ts';
import type { WatchItem } from '../../../shared/messages/watchMessage.ts';
import { createAlertTable } from '../../testing/simulation/database.ts';
import { createFakeAlertStore } from '../../testing/simulation/fakeAlertStores.ts';
import { type Alerter, type AlerterPorts, createAlerter } from '../alerter.ts';
import type { RingOfWallet } from '../rules/clusterActivity.ts';
import { createWatchIndex } from '../watch/watchIndex.ts';
import { CHAIN_ID, PRICING, PROFILE } from './chainBuilder.ts';

type SequencedEvent = Parameters<Alerter['recall']>[0][number];

/** The alerts table in memory. */
const createFakeStore = () => {
  const table = createAlertTable(true);
  return { table, store: createFakeAlertStore({ alerts: table }, async (effect) => effect()) };
};

/** A chain without locks. */
const NO_LOCKS: AlerterPorts['locks'] = {
  lockers: async () => [],
  ending: async () => [],
  ofTokens: async () => [],
  at: async () => [],
};

type Work = (...args: readonly unknown[]) => Promise<unknown>;

/** The test's data for reads of the index and the rings. */
const createFakeIndex = () => {
  const rings: RingOfWallet[] = [];
  const taxes = new Map<Hex, { now: number; before: number | undefined }>();
  const reader: Pick<AlerterPorts, 'index' | 'rings'> = {
    rings: {
      members: async ({ joined, left }) =>
        [...joined, ...left].map((wallet) => ({ wallet, tokens: [] })),
      rings: async (wallets) => rings.filter(({ wallet }) => wallets.includes(wallet)),
    },
    index: {
      taxes: async ({ blockHash }) => taxes.get(blockHash),
      pools: async () => [],
      markets: async () => [],
      marketsOf: async () => [],
      counterparties: async () => [],
      decimals: async () => new Map(),
      profiles: async (tokens) => tokens.map((token) => ({ ...PROFILE, token })),
    },
  };
  return { rings, taxes, reader };
};

/** The same port, which may fail before and after each call. */
const interruptedBy = <P extends object>(interrupt: () => void, port: P): P =>
  new Proxy(port, {
    get:
      (target, name) =>
      async (...args: readonly unknown[]) => {
        interrupt();
        const result = await (Reflect.get(target, name) as Work)(...args);
        interrupt();
        return result;
      },
  });

/** A stream, a store and an outbox that outlive the alerters. */
export const createBench = (
  interrupt: () => void = () => undefined,
  changes: Partial<AlerterPorts> = {},
  indexed: Partial<AlerterPorts['index']> = {},
) => {
  const stream: SequencedEvent[] = [];
  const { store, table } = createFakeStore();
  const watches = createWatchIndex();
  const settings = new Map<string, AlertOverrides>();
  const { rings, taxes, reader } = createFakeIndex();
  let nowMs = 0;
  const outbox = new Map<string, AlertMessage>();
  const interrupted = <P extends object>(port: P): P => interruptedBy(interrupt, port);
  const ports: AlerterPorts = {
    chainId: CHAIN_ID,
    pricing: PRICING,
    factories: null,
    audience: {
      watchesOf: (address) => watches.find(address),
      settingsOf: (family) => settings.get(family) ?? {},
    },
    rings: interrupted(reader.rings),
    index: interrupted({ ...reader.index, ...indexed }),
    locks: interrupted(NO_LOCKS),
    unlockNoticeS: 86_400,
    store: interrupted(store),
    publish: async (message) => {
      interrupt();
      if (!outbox.has(message.eventId)) outbox.set(message.eventId, message);
      interrupt();
    },
    clock: { now: () => nowMs },
    ...changes,
  };
  return {
    stream,
    add: (...events: readonly ChainEvent[]): void => {
      for (const event of events) stream.push({ seq: stream.length + 1, event });
    },
    watch: (item: WatchItem): void => watches.apply({ change: 'added', item }),
    set: (family: string, overrides: AlertOverrides): void => void settings.set(family, overrides),
    setRing: (ring: RingOfWallet): void => void rings.push(ring),
    setTax: (block: Hex, now: number, before?: number): void =>
      void taxes.set(block, { now, before }),
    setTime: (ms: number): void => {
      nowMs = ms;
    },
    unwatch: (item: WatchItem): void => watches.apply({ change: 'removed', item }),
    /** A newly started process. */
    start: () => createAlerter(ports),
    /** Alerts in force. */
    alerts: (): Alert[] =>
      table
        .final()
        .map(({ alert }) => alert)
        .toSorted((a, b) => a.id - b.id),
    sent: (): AlertMessage[] => [...outbox.values()],
  };
};
