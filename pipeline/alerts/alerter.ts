import type { SequencedEvent } from '../../shared/adapters/chainConsumer.ts';
import type { Hex } from '../../shared/chain/block.ts';
import type { ReorgEvent } from '../../shared/chain/chainEvent.ts';
import { factVersion } from '../../shared/chain/version.ts';
import type { Alert, AlertMessage } from '../../shared/messages/alertMessage.ts';
import { chainMessageId } from '../../shared/messages/chainMessage.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import { alertId, timeOfId } from './alertId.ts';
import type { AlertStore } from './alertStore.ts';
import { ChainFold } from './blocks/chainFold.ts';
import { eventIdOf } from './eventId.ts';
import type { IndexReader } from './indexReader.ts';
import { PoolBook } from './pools/poolBook.ts';
import type { Pricing } from './pools/poolSides.ts';
import { type Candidate, candidatesOf, type FoundInBlock } from './raise/candidate.ts';
import { settle } from './raise/settle.ts';
import type { Watch } from './watch/watchTable.ts';

/** What the alerter works with. */
export interface AlerterPorts {
  readonly chainId: number;
  readonly pricing: Pricing;
  readonly watches: { find(address: Hex): Watch[] };
  readonly index: Pick<IndexReader, 'pools' | 'profiles'>;
  readonly store: AlertStore;
  /** Resolves when the message is safe; one whose event id was sent is not sent twice. */
  readonly publish: (message: AlertMessage) => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Turns the events of one chain into alerts. */
export interface Alerter {
  /** Takes an event into account that was handled before this process started. */
  recall(event: SequencedEvent): Promise<void>;
  /** Handles events in order. Any of them may come again, after a failure or a crash. */
  handle(batch: readonly SequencedEvent[]): Promise<void>;
  counts(): Readonly<Record<string, number>>;
}

/** Candidates decided and written in one go; a popular token may have thousands of watchers. */
const CANDIDATES_PER_INSERT_MAX = 1_000;

/**
 * For each event: pools it touches and nobody knows are looked up; the event is folded into what is
 * known of the chain, which gives findings; findings that someone watches become alerts, which are
 * written before they are sent. A reorg withdraws the alerts of its orphaned blocks. After a failure
 * the same event goes on where it stood.
 */
export const createAlerter = (ports: AlerterPorts): Alerter => {
  const memory = createMemory(ports);
  const tally = { raised: 0, notRepeated: 0, withdrawn: 0 };

  const handleOne = async (placed: SequencedEvent): Promise<void> => {
    const findings = await memory.findingsOf(placed);
    const { event } = placed;
    if (event.kind === 'blocks') await raise(findings, event.epoch);
    if (event.kind === 'reorg') await withdraw(event);
  };

  const raise = async (findings: readonly FoundInBlock[], epoch: number): Promise<void> => {
    const candidates = findings.flatMap((found) =>
      candidatesOf(found, (address) => ports.watches.find(address)),
    );
    for (let at = 0; at < candidates.length; at += CANDIDATES_PER_INSERT_MAX) {
      await raiseSome(candidates.slice(at, at + CANDIDATES_PER_INSERT_MAX), epoch);
    }
  };

  const raiseSome = async (candidates: readonly Candidate[], epoch: number): Promise<void> => {
    const { recent, profiles } = await lookUp(candidates, ports);
    const { fresh, send } = settle(candidates, {
      chainId: ports.chainId,
      version: factVersion(epoch),
      nowMs: ports.clock.now(),
      recent,
      profiles: new Map(profiles.map((profile) => [profile.token, profile])),
      alertId,
      timeOfId,
    });
    await ports.store.raise(fresh, epoch);
    await publishAll(send, 'raised', epoch, ports);
    tally.raised += fresh.length;
    tally.notRepeated += candidates.length - send.length;
  };

  const withdraw = async (reorg: ReorgEvent): Promise<void> => {
    const alerts = await ports.store.onOrphaned(reorg);
    await ports.store.withdraw(alerts, reorg);
    await publishAll(alerts, 'withdrawn', reorg.epoch, ports);
    tally.withdrawn += alerts.length;
  };

  return {
    recall: async (placed) => {
      await memory.findingsOf(placed);
      memory.done([placed]);
    },
    handle: async (batch) => {
      for (const placed of batch) await handleOne(placed);
      memory.done(batch);
    },
    counts: () => ({ ...memory.counts(), ...tally }),
  };
};

/** The chain as far as it was folded, and the findings of events that are not done. */
interface Memory {
  /** Folds an event in, once, however often it is asked for until it is done. */
  findingsOf(placed: SequencedEvent): Promise<readonly FoundInBlock[]>;
  done(batch: readonly SequencedEvent[]): void;
  counts(): ReturnType<ChainFold['counts']>;
}

const createMemory = ({ pricing, index }: AlerterPorts): Memory => {
  let chain = new ChainFold(new PoolBook(pricing));
  let foldedSeq = 0;
  /** Where memory begins: what a pool did before it is asked of the index, the rest is known here. */
  let firstBlock = Number.POSITIVE_INFINITY;
  /**
   * Height before which the index is asked. Of blocks before memory begins it cannot be wrong: they are
   * final and it has them. Of later ones it may tell another branch, being behind a reorg or ahead of it.
   */
  const askedBefore = (from: number): number =>
    chain.counts().poolsEvicted > 0 ? from : Math.min(firstBlock, from);
  const found = new Map<number, { eventId: string; findings: readonly FoundInBlock[] }>();
  return {
    findingsOf: async ({ seq, event }) => {
      const eventId = chainMessageId(event);
      const known = found.get(seq);
      if (known?.eventId === eventId) return known.findings;
      // The stream lost its tail and is read anew: later blocks must not be known already.
      if (seq <= foldedSeq) {
        chain = new ChainFold(new PoolBook(pricing));
        firstBlock = Number.POSITIVE_INFINITY;
      }
      if (event.kind === 'blocks') firstBlock = Math.min(firstBlock, event.from);
      foldedSeq = seq - 1;
      const unknown = chain.unknownPools(event);
      if (unknown.length > 0 && event.kind === 'blocks') {
        chain.learnPools(event, unknown, await index.pools(unknown, askedBefore(event.from)));
      }
      const findings = chain.fold(event);
      foldedSeq = seq;
      found.set(seq, { eventId, findings });
      return findings;
    },
    done: (batch) => {
      for (const { seq } of batch) found.delete(seq);
    },
    counts: () => chain.counts(),
  };
};

const lookUp = async (candidates: readonly Candidate[], { store, index }: AlerterPorts) => {
  const times = candidates.map(({ block }) => block.timestampS);
  const families = new Set(candidates.map(({ watch }) => watch.family));
  const tokens = new Set(candidates.map(({ finding }) => finding.token));
  const [recent, profiles] = await Promise.all([
    store.recent([...families], { firstS: Math.min(...times), lastS: Math.max(...times) }),
    index.profiles([...tokens]),
  ]);
  return { recent, profiles };
};

const publishAll = async (
  alerts: readonly Alert[],
  state: AlertMessage['state'],
  epoch: number,
  { publish }: AlerterPorts,
): Promise<void> => {
  await Promise.all(
    alerts.map((alert) => publish({ v: 1, eventId: eventIdOf(alert, state, epoch), state, alert })),
  );
};
