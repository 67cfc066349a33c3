import pLimit from 'p-limit';
import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { CodeTwins } from '../checks/checkInput.ts';
import type { ContractProfile, ContractSubject } from './contractProfile.ts';
import type { ContractReader } from './contractReader.ts';
import type { CodeLabel, ContractStore, StoredProfile } from './contractStore.ts';
import { withEarlierPowers } from './earlierPowers.ts';

/** What is known of a token's contract. */
export interface KnownContract {
  readonly profile: ContractProfile;
  readonly twins: CodeTwins | undefined;
  /** The check that its code is labelled with, empty where it is innocent; undefined where it has no label. */
  readonly ownLabel?: string | undefined;
}

/** A token whose contract is to be known. */
export interface KnownSubject extends ContractSubject {
  /** Last block in which its ownership changed; 0 where it never did. */
  readonly ownershipBlock: number;
}

/** What a round of scoring learns of contracts. */
export interface StudiedContracts {
  /** What is known of the contracts; one that cannot be read now is left out. */
  readonly known: ReadonlyMap<Hex, KnownContract>;
  /** Those of which nothing is known, and for which this round had no time left. */
  readonly postponed: ReadonlySet<Hex>;
}

/** Contract profiles on record, by token. */
export type StoredProfiles = ReadonlyMap<Hex, StoredProfile>;

/** Contract profiles: from ClickHouse while fresh, else from the node. */
export interface ContractCache {
  read(chainId: number, tokens: readonly Hex[]): Promise<StoredProfiles>;
  /** Tokens that wait for a later round: nothing is known of them, and a round reads no more contracts than those before them. */
  beyondRound(tokens: readonly Hex[], stored: StoredProfiles): ReadonlySet<Hex>;
  /** @param stored what `read` gave, of tokens that are not beyond this round */
  study(
    chainId: number,
    subjects: readonly KnownSubject[],
    stored: StoredProfiles,
  ): Promise<StudiedContracts>;
  /** Labels codes, so that their copies are known. */
  label(chainId: number, labels: readonly CodeLabel[]): Promise<void>;
}

/** Milliseconds a profile is believed: owners act, and proxies change what they run. */
const PROFILE_MS = 600_000;
/** The same for one without simulations: the node may have failed for a moment. */
const UNPROBED_MS = 60_000;
/** Contracts read from the node in one round of scoring, and how long that may take in milliseconds. */
const READS_PER_ROUND_MAX = 40;
const READING_MS_MAX = 10_000;
/** Contracts read at the same time: each is some ten requests, one after the other. */
const READS_AT_ONCE = 4;

/** Reads contracts, a few at once, until the time of this round is used up. @returns also those that it was too short for */
const readAll = async (
  { reader, clock }: { reader: ContractReader; clock: Clock },
  subjects: readonly ContractSubject[],
  stored: StoredProfiles,
): Promise<{ profiles: Map<Hex, ContractProfile>; unread: Hex[] }> => {
  const profiles = new Map<Hex, ContractProfile>();
  const unread = subjects.slice(READS_PER_ROUND_MAX).map(({ token }) => token);
  const endMs = clock.now() + READING_MS_MAX;
  const atOnce = pLimit(READS_AT_ONCE);
  const read = async (subject: ContractSubject): Promise<void> => {
    if (clock.now() > endMs) {
      unread.push(subject.token);
      return;
    }
    const { token } = subject;
    const profile = await reader.read(subject);
    if (profile) profiles.set(token, withEarlierPowers(profile, stored.get(token)?.profile));
  };
  try {
    await Promise.all(subjects.slice(0, READS_PER_ROUND_MAX).map((one) => atOnce(read, one)));
  } catch (error) {
    // A node that is away leaves the checks of contracts open: it stops no verdict.
    if (!(error instanceof RetryableError)) throw error;
    return { profiles, unread: [] };
  }
  return { profiles, unread };
};

export const createContractCache = (ports: {
  store: ContractStore;
  reader: ContractReader;
  clock: Clock;
  /** Whether the node's head says something about the facts at hand. */
  isLive: () => boolean;
}): ContractCache => {
  const { store, reader, clock, isLive } = ports;

  const isStale = (subject: KnownSubject, stored: StoredProfile | undefined): boolean => {
    if (!stored) return true;
    const { profile, readAtMs } = stored;
    const believedMs = profile.probe.kind === 'done' ? PROFILE_MS : UNPROBED_MS;
    const isOld = clock.now() - readAtMs > believedMs;
    // After a reorg another contract may lie at the address.
    const isOther = subject.codeHash !== ZERO_HASH && profile.codeHash !== subject.codeHash;
    const isUntraded = subject.pool !== undefined && profile.pool !== subject.pool.pool;
    return isOld || isOther || isUntraded || subject.ownershipBlock > profile.blockNumber;
  };

  /** Keeps profiles with the nearest scam of each. */
  const keep = async (
    chainId: number,
    found: ReadonlyMap<Hex, ContractProfile>,
  ): Promise<Map<Hex, ContractProfile>> => {
    const near = await store.nearScams(chainId, found);
    const read = new Map(
      [...found].map(([token, profile]) => {
        return [token, { ...profile, nearScam: near.get(token) ?? null }] as const;
      }),
    );
    await store.insert(chainId, read, clock.now());
    return read;
  };

  return {
    read: (chainId, tokens) => store.read(chainId, tokens),
    beyondRound: (tokens, stored) => {
      const unknown = isLive() ? tokens.filter((token) => !stored.has(token)) : [];
      return new Set(unknown.slice(READS_PER_ROUND_MAX));
    },
    study: async (chainId, subjects, stored) => {
      const tokens = subjects.map(({ token }) => token);
      const asked = isLive() ? subjects : [];
      const stale = asked.filter((subject) => isStale(subject, stored.get(subject.token)));
      // Those of which nothing is known come first: of others there is an older profile.
      const isStored = ({ token }: KnownSubject) => Number(stored.has(token));
      const inOrder = stale.toSorted((a, b) => isStored(a) - isStored(b));
      const { profiles: found, unread } = await readAll({ reader, clock }, inOrder, stored);
      const profiles = new Map(
        tokens.flatMap((token) => {
          const profile = found.get(token) ?? stored.get(token)?.profile;
          return profile ? [[token, profile] as const] : [];
        }),
      );
      const [read, twins] = await Promise.all([
        keep(chainId, found),
        store.twins(chainId, profiles),
      ]);
      const known = new Map(
        [...profiles].map(([token, profile]) => [
          token,
          { profile: read.get(token) ?? profile, twins: undefined, ...twins.get(token) },
        ]),
      );
      return { known, postponed: new Set(unread.filter((token) => !stored.has(token))) };
    },
    label: (chainId, labels) => store.label(chainId, labels, clock.now()),
  };
};
