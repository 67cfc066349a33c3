import pLimit from 'p-limit';
import type { SequencedEvent } from '../../shared/adapters/chainConsumer.ts';
import type { Hex } from '../../shared/chain/block.ts';
import type { ClusterMessage } from '../../shared/messages/clusterMessage.ts';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import { createChainMemory } from './chainMemory.ts';
import type { IndexReader } from './indexReader.ts';
import { BoundedMap } from './pools/boundedMap.ts';
import type { Pricing } from './pools/poolSides.ts';
import type { FoundInBlock } from './raise/candidate.ts';
import { createRaiser, type RaiserPorts } from './raiser.ts';
import type { RingReader } from './ringReader.ts';
import { clusterActivity, isRingDeed, ringDeed } from './rules/clusterActivity.ts';
import type { Finding } from './rules/rule.ts';
import { taxChange } from './rules/taxChange.ts';
import { verdictChange } from './rules/verdictChange.ts';

/** What the alerter works with. */
export interface AlerterPorts extends RaiserPorts {
  readonly pricing: Pricing;
  readonly index: Pick<IndexReader, 'pools' | 'profiles' | 'taxes'>;
  readonly rings: RingReader;
}

/** Turns what happened on one chain into alerts. Anything may come again, after a failure or a crash. */
export interface Alerter {
  /** Takes events into account that were handled before this process started. */
  recall(batch: readonly SequencedEvent[]): Promise<void>;
  /** Handles events in order. */
  handle(batch: readonly SequencedEvent[]): Promise<void>;
  /** Handles a new verdict. */
  handleScore(message: ScoreMessage): Promise<void>;
  /** Handles a change of a ring of wallets. */
  handleCluster(message: ClusterMessage): Promise<void>;
  counts(): Readonly<Record<string, number>>;
}

/** Tokens whose last tax is held; of others it is read from their verdicts. */
const TAXES_MAX = 100_000;

/**
 * For each event: pools it touches and nobody knows are looked up; the event is folded into what is
 * known of the chain, which gives findings; findings that someone watches become alerts. A reorg
 * withdraws the alerts of its orphaned blocks. After a failure the same event goes on where it stood.
 * One thing at a time, so that no two alerts of a family are decided on the same past.
 */
export const createAlerter = (ports: AlerterPorts): Alerter => {
  const { pricing, index, rings } = ports;
  const memory = createChainMemory(pricing, index);
  const raiser = createRaiser(ports);
  const oneAtATime = pLimit(1);
  const handlers = createMessageHandlers(ports, (found) => raiser.raise(found, memory.epoch()));
  const tally = { onOrphanedBlocks: 0 };

  const handleOne = async (placed: SequencedEvent): Promise<void> => {
    const findings = await memory.findingsOf(placed);
    const { event } = placed;
    if (event.kind === 'reorg') {
      handlers.forget();
      await raiser.withdraw(event);
    }
    if (event.kind !== 'blocks') return;
    await raiser.raise(findings, event.epoch);
    await raiser.raise(await ringDeeds(findings, rings), event.epoch);
  };
  /** Messages of other roles name a block; of one that is orphaned nothing is true any more. */
  const onBlock = async (block: Hex, work: () => Promise<void>): Promise<void> => {
    await oneAtATime(async () => {
      if (memory.isOrphaned(block)) tally.onOrphanedBlocks += 1;
      else await work();
    });
  };

  return {
    recall: async (batch) => {
      await memory.prepare(batch);
      for (const placed of batch) await memory.findingsOf(placed);
      memory.done(batch);
    },
    handle: (batch) =>
      oneAtATime(async () => {
        await memory.prepare(batch);
        for (const placed of batch) await handleOne(placed);
        memory.done(batch);
      }),
    handleScore: (message) => onBlock(message.blockHash, () => handlers.score(message)),
    handleCluster: (message) => onBlock(message.blockHash, () => handlers.cluster(message)),
    counts: () => ({ ...memory.counts(), ...raiser.counts(), ...tally }),
  };
};

/** What a block's new tokens and drained pools are for the rings behind them. */
const ringDeeds = async (
  findings: readonly FoundInBlock[],
  reader: RingReader,
): Promise<FoundInBlock[]> => {
  const deeds = findings.filter(({ finding }) => isRingDeed(finding));
  if (deeds.length === 0) return [];
  const rings = await reader.rings([...new Set(deeds.flatMap(({ finding }) => finding.wallets))]);
  return deeds.flatMap(({ finding, block }) =>
    rings
      .filter(({ wallet }) => finding.wallets.includes(wallet))
      .map((ring) => ({ finding: ringDeed(finding, ring), block })),
  );
};

const createMessageHandlers = (
  { audience, index, rings }: AlerterPorts,
  raise: (findings: readonly FoundInBlock[]) => Promise<void>,
) => {
  let taxes = new BoundedMap<Hex, number>(TAXES_MAX);
  const raiseAt = async (
    { blockNumber, blockHash }: Pick<ScoreMessage, 'blockNumber' | 'blockHash'>,
    timestampS: number,
    findings: readonly (Finding | null)[],
  ): Promise<void> => {
    const block = { number: blockNumber, hash: blockHash, timestampS };
    await raise(findings.flatMap((finding) => (finding ? { finding, block } : [])));
  };
  const turned = async (message: ScoreMessage): Promise<Finding | null> => {
    const { token, prediction, previousPrediction } = message;
    if (previousPrediction === null || previousPrediction === prediction) return null;
    const [profile] = await index.profiles([token]);
    return verdictChange(message, profile?.creator);
  };

  return {
    /** After a reorg the taxes seen may be of blocks that are no more. */
    forget: (): void => {
      taxes = new BoundedMap(TAXES_MAX);
    },
    score: async (message: ScoreMessage): Promise<void> => {
      const { token, analyzedAtMs } = message;
      const timestampS = Math.floor(analyzedAtMs / 1_000);
      const isTaxWatched = audience
        .watchesOf(token)
        .some(({ type, alerts }) => type === 'token' && alerts.includes('tax_change'));
      const measured = isTaxWatched ? await index.taxes(message) : undefined;
      const before = taxes.get(token) ?? measured?.before;
      const taxed =
        measured && before !== undefined ? taxChange(message, before, measured.now) : null;
      await raiseAt(message, timestampS, [await turned(message), taxed]);
      if (measured) taxes.set(token, measured.now);
    },
    cluster: async (message: ClusterMessage): Promise<void> => {
      const members = await rings.members(message);
      await raiseAt(message, message.timestampS, clusterActivity(message, members));
    },
  };
};
