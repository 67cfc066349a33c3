import { createAlerter } from '../../../pipeline/alerts/alerter.ts';
import { LOOK_BACK_S } from '../../../pipeline/alerts/pools/poolSeries.ts';
import { createWatchIndex } from '../../../pipeline/alerts/watch/watchIndex.ts';
import type { WatchChanged } from '../../messages/watchMessage.ts';
import { RetryableError } from '../../platform/errors.ts';
import type { FakeMessage } from '../fakeStream.ts';
import { CHAIN_ID, WETH } from './cast.ts';
import { createFakeAlertStore, createFakeIndexReader } from './fakeAlertStores.ts';
import { consumeFake, eventOf } from './fakeConsumer.ts';
import type { Statement } from './fakeFactStores.ts';
import { REORG_DEPTH_MAX } from './programme.ts';
import { NATIVE_USD } from './runScorer.ts';
import type { Life } from './scheduler.ts';
import type { World } from './world.ts';

/** Messages of one group when history is read again. */
const RECALLED_AT_ONCE = 7;

/** Chain time and height a message tells. */
const placeOf = ({ data }: FakeMessage) => {
  const event = eventOf(data);
  if (event.kind === 'blocks' && event.chunk > 0) return undefined;
  if (event.kind === 'blocks') return { ...event.to, number: event.from - 1 };
  return event.kind === 'reorg' ? event.ancestor : undefined;
};

/** What `readHistory` reads again: the shortest past that is enough, so that too short a one shows. */
const historyOf = ({ stream, durables }: World): readonly FakeMessage[] => {
  const past = stream.messages().filter(({ seq }) => seq <= durables.alerts.acknowledged);
  const newest = past.map(placeOf).findLast((place) => place !== undefined);
  if (!newest) return past;
  const deepest = past
    .map(placeOf)
    .findLast((place) => place && newest.number - place.number >= REORG_DEPTH_MAX);
  const start = past.findLastIndex((message) => {
    const place = placeOf(message);
    if (!place || !deepest || message.seq > durables.scorer.acknowledged + 1) return false;
    return deepest.timestampS - place.timestampS >= LOOK_BACK_S && place.number <= deepest.number;
  });
  return past.slice(Math.max(0, start));
};

/** The alerts role as a process, on the fakes of its ports. */
export const runAlerts = async (world: World, life: Life): Promise<void> => {
  const { database, scheduler, stream, durables, random, watchlists } = world;
  const away = (): Error => new RetryableError('fake ClickHouse: no answer');
  const run: Statement = (effect) => scheduler.io(life, away, effect);
  const watches = createWatchIndex(1);
  // As with the real stream: what changes while everything is read is applied after it.
  const missed: WatchChanged[] = [];
  let apply = (change: WatchChanged): void => void missed.push(change);
  await run(() => {
    watchlists.listeners.add((change) => {
      if (life.isAlive) apply(change);
    });
  });
  await watches.load(
    (async function* () {
      yield await run(() => [...watchlists.items.values()]);
    })(),
  );
  for (const change of missed) watches.apply(change);
  apply = (change) => watches.apply(change);
  const alerter = createAlerter({
    chainId: CHAIN_ID,
    pricing: { weth: WETH, stables: [], nativePriceUsd: NATIVE_USD, stableDecimals: new Map() },
    audience: { watchesOf: (address) => watches.find(address), settingsOf: () => ({}) },
    rings: { members: async () => [], rings: async () => [] },
    index: createFakeIndexReader(database, run),
    store: createFakeAlertStore(database, run),
    publish: () => run(() => undefined),
    clock: scheduler.clock(life),
  });
  const history = historyOf(world).map(({ seq, data }) => ({ seq, event: eventOf(data) }));
  for (let at = 0; at < history.length; at += RECALLED_AT_ONCE) {
    await alerter.recall(history.slice(at, at + RECALLED_AT_ONCE));
  }
  const handle: typeof alerter.handle = (batch) => alerter.handle(batch);
  await consumeFake({ stream, durable: durables.alerts, scheduler, random, life, handle });
};
