import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Hex } from '../../shared/chain/block.ts';
import type { ClusterMessage } from '../../shared/messages/clusterMessage.ts';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import type { SequencedEvent } from '../../shared/platform/chainConsumer.ts';
import { createChainMemory, type MemoryPorts } from './chainMemory.ts';
import { growingTo } from './growingTo.ts';
import type { IndexReader } from './indexReader.ts';
import { createLockWatch, type LockWatchPorts } from './lockWatch.ts';
import type { FoundInBlock } from './raise/candidate.ts';
import { createRaiser, type RaiserPorts } from './raise/raiser.ts';
import type { RingReader } from './ringReader.ts';
import { clusterActivity, isRingActivity, ringActivity } from './rules/clusterActivity.ts';
import type { Finding } from './rules/rule.ts';
import { taxChange } from './rules/taxChange.ts';
import { verdictChange } from './rules/verdictChange.ts';

/** Dependencies of the alerter. */
export interface AlerterPorts extends RaiserPorts, MemoryPorts, LockWatchPorts {
  readonly index: MemoryPorts['index'] & Pick<IndexReader, 'profiles' | 'taxes'>;
  readonly rings: RingReader;
}

/** Tokens whose last tax is cached; for others it is read from their verdicts. */
const TAXES_MAX = 100_000;

/**
 * For each event: unknown pools in it are looked up; the event is applied to the chain's memory, which gives
 * findings; findings on watched addresses become alerts. A reorg withdraws the alerts of its orphaned blocks. After a
 * failure the same event continues where it stopped. Events are handled one at a time, so that no two alerts of a
 * family are decided on the same state.
 */
export const createAlerter = (ports: AlerterPorts) => {
  const { rings } = ports;
  const memory = createChainMemory(ports);
  const raiser = createRaiser(ports);
  const lockWatch = createLockWatch(ports);
  const oneAtATime = pLimit(1);
  const messages = createMessageFindings(ports);

  const handleOne = async (placed: SequencedEvent): Promise<void> => {
    const { findings, restored } = await memory.fold(placed);
    const { event } = placed;
    if (event.kind === 'reorg') {
      lockWatch.recall(event);
      await raiser.withdraw(event);
    }
    if (event.kind !== 'blocks') return;
    await raiser.raise(findings, event.epoch);
    await raiser.restore(restored, event.epoch);
    await raiser.raise(await ringActivities(findings, rings), event.epoch);
    await raiser.raise(await lockWatch.find(event), event.epoch);
  };
  /**
   * A message of another role refers to a block, which may be orphaned: the block may become canonical again.
   */
  const onMessage = (
    { blockHash: hash, blockNumber: number }: Pick<ScoreMessage, 'blockHash' | 'blockNumber'>,
    timestampS: number,
    find: () => Promise<Finding[]>,
  ): Promise<void> =>
    oneAtATime(async () => {
      const block = { number, hash, timestampS };
      const findings = (await find()).map((finding) => ({ finding, block }));
      if (memory.isOrphaned(hash)) await raiser.keep(findings, memory.epoch());
      else await raiser.raise(findings, memory.epoch());
    });

  return {
    /** Applies events that were handled before this process started. */
    recall: async (batch: readonly SequencedEvent[]): Promise<void> => {
      await memory.prepare(batch);
      for (const placed of batch) {
        await memory.fold(placed);
        lockWatch.recall(placed.event);
      }
      memory.done(batch);
    },
    /** Handles events in order. */
    handle: (batch: readonly SequencedEvent[]): Promise<void> =>
      oneAtATime(async () => {
        await memory.prepare(batch);
        for (const placed of batch) await handleOne(placed);
        memory.done(batch);
      }),
    /** Handles a new verdict. */
    handleScore: (message: ScoreMessage): Promise<void> =>
      onMessage(message, Math.floor(message.analyzedAtMs / 1_000), () => messages.score(message)),
    /** Handles a change of a ring of wallets. */
    handleCluster: (message: ClusterMessage): Promise<void> =>
      onMessage(message, message.timestampS, () => messages.cluster(message)),
    counts: (): Readonly<Record<string, number>> => ({ ...memory.counts(), ...raiser.counts() }),
  };
};
/** Turns events of one chain into alerts. Any event may be delivered again, after a failure or a crash. */
export type Alerter = ReturnType<typeof createAlerter>;

/** Findings for the rings behind a block's new tokens and drained pools. */
const ringActivities = async (
  findings: readonly FoundInBlock[],
  reader: RingReader,
): Promise<FoundInBlock[]> => {
  const activities = findings.filter(({ finding }) => isRingActivity(finding));
  if (activities.length === 0) return [];
  const rings = await reader.rings([
    ...new Set(activities.flatMap(({ finding }) => finding.wallets)),
  ]);
  return activities.flatMap(({ finding, block }) =>
    rings
      .filter(({ wallet }) => finding.wallets.includes(wallet))
      .map((ring) => ({ finding: ringActivity(finding, ring), block })),
  );
};

/** Findings from messages of other roles. */
const createMessageFindings = ({ audience, index, rings }: AlerterPorts) => {
  /** Latest measured taxes: a verdict computed again at the same block replaces the previous one. */
  const taxes = new LRUCache<Hex, { readonly block: Hex; readonly tax: number }>(
    growingTo(TAXES_MAX),
  );

  const turned = async (message: ScoreMessage): Promise<Finding | null> => {
    const { token, prediction, previousPrediction } = message;
    if (previousPrediction === null || previousPrediction === prediction) return null;
    const [profile] = await index.profiles([token]);
    return verdictChange(message, profile?.creator);
  };
  const taxed = async (message: ScoreMessage): Promise<Finding | null> => {
    const { token, blockHash: block } = message;
    const isWatched = audience
      .watchesOf(token)
      .some(({ type, alerts }) => type === 'token' && alerts.includes('tax_change'));
    const measured = isWatched ? await index.taxes(message) : undefined;
    if (!measured) return null;
    const seen = taxes.peek(token);
    const before = seen?.block === block && seen.tax !== measured.now ? seen.tax : measured.before;
    taxes.set(token, { block, tax: measured.now });
    return before === undefined ? null : taxChange(message, before, measured.now);
  };

  return {
    score: async (message: ScoreMessage): Promise<Finding[]> =>
      [await turned(message), await taxed(message)].filter((finding) => finding !== null),
    cluster: async (message: ClusterMessage): Promise<Finding[]> =>
      clusterActivity(message, await rings.members(message)),
  };
};
