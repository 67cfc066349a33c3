import type { Hex } from '../../../shared/chain/block.ts';
import type { ReorgEvent } from '../../../shared/chain/chainEvent.ts';
import { epochOfFact, factVersion, tombstoneVersion } from '../../../shared/chain/version.ts';
import type { AlertMessage } from '../../../shared/messages/alertMessage.ts';
import { DEDUPE_WINDOW_S } from '../../../shared/messages/settingsMessage.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { slicesOf } from '../../../shared/platform/slicesOf.ts';
import { alertId, eventIdOf, timeOfId } from '../alertId.ts';
import type { IndexReader } from '../indexReader.ts';
import type { AlertStore } from './alertStore.ts';
import { type Audience, type Candidate, candidatesOf, type FoundInBlock } from './candidate.ts';
import { type AlertDecisions, decideAlerts, type KeptAlert } from './decideAlerts.ts';
import { dedupeWindowS } from './settings.ts';

/** Dependencies of raising alerts. */
export interface RaiserPorts {
  readonly chainId: number;
  readonly audience: Audience;
  readonly index: Pick<IndexReader, 'profiles'>;
  readonly store: AlertStore;
  /** Resolves when the message is stored; a repeated event id is not sent twice. */
  readonly publish: (message: AlertMessage) => Promise<void>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Turns findings into alerts. Everything may be repeated, after a failure or a crash. */
export interface Raiser {
  /** Writes, then publishes, the alerts of findings. */
  raise(findings: readonly FoundInBlock[], epoch: number): Promise<void>;
  /** Marks alerts of orphaned blocks as withdrawn: they are raised again if the blocks return. */
  keep(findings: readonly FoundInBlock[], epoch: number): Promise<void>;
  /**
   * Raises alerts again that were withdrawn with these blocks, if applying the blocks does not find them again.
   */
  restore(blocks: readonly Hex[], epoch: number): Promise<void>;
  /** Withdraws the alerts of orphaned blocks, and publishes that. */
  withdraw(reorg: ReorgEvent): Promise<void>;
  counts(): { raised: number; quiet: number; notRaised: number; withdrawn: number; kept: number };
}

/** Candidates decided and written at once; a popular token may have thousands of watchers. */
const CANDIDATES_PER_INSERT_MAX = 1_000;

/** Alerts are written before they are sent; those of quiet hours are never sent. */
export const createRaiser = (ports: RaiserPorts): Raiser => {
  const { chainId, audience, store, clock } = ports;
  const tally = { raised: 0, quiet: 0, notRaised: 0, withdrawn: 0, kept: 0 };

  const decide = async (
    candidates: readonly Candidate[],
    version: number,
  ): Promise<AlertDecisions> => {
    const { recent, profiles } = await lookUp(candidates, ports);
    return decideAlerts(candidates, {
      chainId,
      version,
      nowMs: clock.now(),
      recent,
      profiles: new Map(profiles.map((profile) => [profile.token, profile])),
      alertId,
      timeOfId,
    });
  };
  const raiseSome = async (candidates: readonly Candidate[], epoch: number): Promise<void> => {
    const { fresh, send } = await decide(candidates, factVersion(epoch));
    await store.raise(fresh, epoch);
    // Sent under the event id of its epoch, so that receivers recognise a repetition.
    await Promise.all(send.map((one) => publish(one, 'raised', epochOfFact(one.version), ports)));
    tally.raised += fresh.length;
    tally.quiet += fresh.filter(({ isQuiet }) => isQuiet).length;
    tally.notRaised += candidates.length - send.length;
  };

  const keepSome = async (candidates: readonly Candidate[], epoch: number): Promise<void> => {
    const { fresh } = await decide(candidates, tombstoneVersion(epoch));
    await store.withdraw(fresh, { epoch });
    tally.kept += fresh.length;
  };
  const inParts = async (
    findings: readonly FoundInBlock[],
    work: (candidates: readonly Candidate[]) => Promise<void>,
  ): Promise<void> => {
    const candidates = findings.flatMap((found) => candidatesOf(found, audience));
    for (const some of slicesOf(candidates, CANDIDATES_PER_INSERT_MAX)) await work(some);
  };

  return {
    raise: (findings, epoch) => inParts(findings, (some) => raiseSome(some, epoch)),
    keep: (findings, epoch) => inParts(findings, (some) => keepSome(some, epoch)),
    restore: async (blocks, epoch) => {
      if (blocks.length === 0) return;
      const alerts = await store.onRestored(blocks, { chainId, epoch });
      await store.raise(alerts, epoch);
      await Promise.all(alerts.map((one) => publish(one, 'raised', epoch, ports)));
      tally.raised += alerts.length;
    },
    withdraw: async (reorg) => {
      const alerts = await store.onOrphaned(reorg);
      await store.withdraw(alerts, reorg);
      await Promise.all(alerts.map((one) => publish(one, 'withdrawn', reorg.epoch, ports)));
      tally.withdrawn += alerts.length;
    },
    counts: () => ({ ...tally }),
  };
};

/** Looks back at least the default window: earlier alerts are also recognised by their cause. */
const lookUp = async (candidates: readonly Candidate[], { store, index }: RaiserPorts) => {
  const tokens = new Set(candidates.map(({ finding }) => finding.token));
  const times = candidates.map(({ block }) => block.timestampS);
  const [firstS, lastS] = [Math.min(...times), Math.max(...times)];
  const windowsS = candidates.map(({ settings }) => dedupeWindowS(settings));
  const [recent, profiles] = await Promise.all([
    store.recent(
      [...new Set(candidates.map(({ watch }) => watch.family))],
      { fromS: firstS - Math.max(DEDUPE_WINDOW_S, ...windowsS), toS: lastS },
      { watchIds: [...new Set(candidates.map(({ watch }) => watch.id))], allFromS: firstS },
    ),
    index.profiles([...tokens]),
  ]);
  return { recent, profiles };
};

/** Sends an alert, unless it was raised in quiet hours. */
const publish = async (
  { alert, isQuiet }: KeptAlert,
  state: AlertMessage['state'],
  epoch: number,
  ports: RaiserPorts,
): Promise<void> => {
  if (isQuiet) return;
  await ports.publish({ v: 1, eventId: eventIdOf(alert, state, epoch), state, alert });
};
