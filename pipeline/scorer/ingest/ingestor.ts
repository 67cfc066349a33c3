import type { Hex } from '../../../shared/chain/block.ts';
import type { BlocksEvent, ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { chainPosition } from '../../../shared/chain/version.ts';
import type { SequencedEvent } from '../../../shared/platform/chainConsumer.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import type { HorizonSchedule } from '../horizon/horizonSchedule.ts';
import type { MarketStarts } from '../horizon/horizonStore.ts';
import type { LockStore } from '../locks/lockStore.ts';
import type { OutcomeStore } from '../outcome/outcomeStore.ts';
import type { MarketSides } from '../pool/marketSides.ts';
import type { PoolStore } from '../pool/poolStore.ts';
import type { ReadCache } from '../readCache.ts';
import type { TokenStore } from '../token/tokenStore.ts';
import type { Lag } from '../verdict/verdictOutbox.ts';
import type { VerdictStore } from '../verdict/verdictStore.ts';
import type { Activity, ActivityStore, Progress } from './activityStore.ts';
import type { Discovery } from './discovery.ts';
import type { FactStore } from './factStore.ts';
import { touchedBy } from './touched.ts';

interface IngestorPorts {
  readonly facts: FactStore;
  readonly tokens: TokenStore;
  readonly pools: PoolStore;
  readonly activity: ActivityStore;
  readonly verdicts: VerdictStore;
  readonly outcomes: Pick<OutcomeStore, 'insertTombstones'>;
  readonly starts: MarketStarts;
  readonly horizons: Pick<HorizonSchedule, 'undone' | 'rewind'>;
  readonly discovery: Discovery;
  readonly marketSides: MarketSides;
  readonly locks: Pick<LockStore, 'touchedBy' | 'touchedByReorg'>;
  readonly cache: Pick<ReadCache, 'forget'>;
  readonly clock: Clock;
  /**
   * Runs work while no verdict is being computed: one based on orphaned facts must not be stored afterwards.
   */
  readonly betweenVerdicts: (work: () => Promise<void>) => Promise<void>;
  /** Notified of every token whose verdict is due, and of the progress of facts. */
  readonly onActivity: (activities: readonly Activity[], progress: IngestProgress) => void;
}

/** How far facts are stored. */
export interface IngestProgress {
  readonly epoch: number;
  /** Last block whose facts are stored in full: a block may arrive in several messages. */
  readonly storedUpTo: number;
  /** The progress to store; undefined if no block became complete. */
  readonly reached: Progress | undefined;
  /** Undefined for a reorg, which has no such value. */
  readonly lag: Lag | undefined;
}

/** Events to store together, or a reorg that must be handled between them. */
type Step = { kind: 'blocks'; events: BlocksEvent[] } | { kind: 'reorg'; event: ReorgEvent };

const stepsOf = (batch: readonly SequencedEvent[]): Step[] => {
  const steps: Step[] = [];
  for (const { event } of batch) {
    const last = steps.at(-1);
    if (event.kind === 'finalize') continue;
    if (event.kind === 'reorg') steps.push({ kind: 'reorg', event });
    else if (last?.kind === 'blocks') last.events.push(event);
    else steps.push({ kind: 'blocks', events: [event] });
  }
  return steps;
};

/** Tokens whose locks changed, which need not involve a transfer. */
const lockActivities = async (
  locks: IngestorPorts['locks'],
  events: readonly BlocksEvent[],
  epoch: number,
): Promise<Activity[]> =>
  [...(await locks.touchedBy(events))].map(([token, block]) => ({
    token,
    position: chainPosition(epoch, block),
  }));

/** Up to where facts are stored in full after these; undefined if no block became complete. */
const progressOf = (events: readonly BlocksEvent[], clock: Clock): Progress | undefined => {
  const [whole, last] = [events.findLast((event) => event.last), events.at(-1)];
  if (!whole || !last) return undefined;
  const { chainId, epoch, head } = last;
  return { chainId, epoch, block: whole.to, head, updatedAtMs: clock.now() };
};

/**
 * Inserts tombstones for everything derived from orphaned blocks. @param undone tokens that were scored at horizons
 * after the ancestor
 */
const takeBack = async (
  { facts, tokens, pools, outcomes, starts, verdicts }: IngestorPorts,
  reorg: ReorgEvent,
  undone: readonly Hex[],
): Promise<void> => {
  const { chainId, epoch, ancestor } = reorg;
  const position = chainPosition(epoch, ancestor.number);
  const orphaned = reorg.orphaned.map(({ hash }) => hash);
  await Promise.all([
    facts.insertTombstones(reorg),
    tokens.insertTombstones(reorg),
    pools.insertTombstones(reorg),
    outcomes.insertTombstones(reorg),
    starts.insertTombstones(reorg),
    verdicts.insertHistoryTombstones({ chainId, ancestor, orphaned, undone, position }),
  ]);
};

export const createIngestor = (ports: IngestorPorts) => {
  const { facts, activity, starts, horizons } = ports;
  const { discovery, marketSides, locks, cache, clock, betweenVerdicts, onActivity } = ports;

  const store = async (events: readonly BlocksEvent[]): Promise<void> => {
    const last = events.at(-1);
    if (!last) return;
    const { chainId, epoch, head } = last;
    const [found] = await Promise.all([
      discovery.discover(touchedBy(events), epoch),
      facts.insert(events),
    ]);
    const activities = [...found, ...(await lockActivities(locks, events, epoch))];
    const reached = progressOf(events, clock);
    const storedUpTo = last.last ? last.to.number : last.from - 1;
    // Verdicts depend on the starts and the tokens of markets, but need not wait for other rows: the message is
    // delivered again if one is not stored.
    const ready = async (): Promise<void> => {
      await Promise.all([starts.record(events, epoch), marketSides.resolve(events, epoch)]);
      const lag = { lagBlocks: head - storedUpTo, lateMs: clock.now() - last.readAtMs };
      onActivity(activities, { epoch, storedUpTo, reached, lag });
    };
    await Promise.all([activity.record(chainId, activities), ready()]);
    // Last: after a crash, the next start assumes everything up to here as stored, pools and tokens included.
    if (reached) await activity.saveProgress(reached);
  };

  const reorganise = async (reorg: ReorgEvent): Promise<void> => {
    const { chainId, epoch, ancestor } = reorg;
    const position = chainPosition(epoch, ancestor.number);
    discovery.forget();
    marketSides.forget();
    // And at its end, for what is read between two attempts.
    cache.forget();
    // A token's facts may remain although the time of its horizon is no longer passed.
    const reached = await activity.progress(chainId);
    const undone = await horizons.undone(reorg, reached?.block.timestampS ?? 0);
    const others = [...undone, ...(await locks.touchedByReorg(reorg))];
    await takeBack(ports, reorg, undone);
    const touched = await activity.touchedByReorg(reorg);
    const activities = [...touched, ...others.map((token) => ({ token, position }))];
    await activity.record(chainId, activities);
    await horizons.rewind(reorg);
    const place = { chainId, epoch, block: ancestor, head: ancestor.number };
    const progress = { ...place, updatedAtMs: clock.now() };
    const storedUpTo = ancestor.number;
    cache.forget();
    onActivity(activities, { epoch, storedUpTo, reached: progress, lag: undefined });
    // Last: if it is saved without confirmation, no verdict may use a block that the next attempt considers undone.
    await activity.saveProgress(progress);
  };

  return {
    /** Handles events in stream order. Idempotent. */
    handle: async (batch: readonly SequencedEvent[]): Promise<void> => {
      for (const step of stepsOf(batch)) {
        if (step.kind === 'reorg') await betweenVerdicts(() => reorganise(step.event));
        else await store(step.events);
      }
    },
  };
};
/** Turns chain events into stored facts and due tokens. */
export type Ingestor = ReturnType<typeof createIngestor>;
