import pLimit from 'p-limit';
import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { CodeTwins } from '../checks/checkInput.ts';
import type { ContractProfile, ContractSubject } from './contractProfile.ts';
import type { ContractReader } from './contractReader.ts';
import type { CodeLabel, ContractStore, StoredProfile } from './contractStore.ts';
import { withEarlierPowers } from './earlierPowers.ts';

/** Known data of a token's contract. */
export interface KnownContract {
  readonly profile: ContractProfile;
  readonly twins: CodeTwins | undefined;
  /** The check in the label of its code, empty if innocent; undefined without a label. */
  readonly ownLabel?: string | undefined;
}

/** A token whose contract is needed. */
export interface KnownSubject extends ContractSubject {
  /** Last block in which its ownership changed; 0 if never. */
  readonly ownershipBlock: number;
}

/** Contracts learned in one scoring round. */
export interface StudiedContracts {
  /** Data of the contracts; those that cannot be read now are left out. */
  readonly known: ReadonlyMap<Hex, KnownContract>;
  /** Unknown contracts for which this round had no time left. */
  readonly postponed: ReadonlySet<Hex>;
}

/** Stored contract profiles, by token. */
export type StoredProfiles = ReadonlyMap<Hex, StoredProfile>;

/** Contract profiles: from ClickHouse while fresh, else from the node. */
export interface ContractCache {
  read(chainId: number, tokens: readonly Hex[]): Promise<StoredProfiles>;
  /**
   * Tokens that wait for a later round: their contracts are unknown, and the round's limit of reads is used up.
   */
  beyondRound(tokens: readonly Hex[], stored: StoredProfiles): ReadonlySet<Hex>;
  /** @param stored result of `read`, for tokens within this round's limit */
  study(
    chainId: number,
    subjects: readonly KnownSubject[],
    stored: StoredProfiles,
  ): Promise<StudiedContracts>;
  /** Labels codes, so that copies are recognised. */
  label(chainId: number, labels: readonly CodeLabel[]): Promise<void>;
}

/** Milliseconds for which a profile is valid: owners act, and proxies change their implementation. */
const PROFILE_MS = 600_000;
/** The same for a profile without simulations: the node may have failed temporarily. */
const UNPROBED_MS = 60_000;
/** Contracts read from the node per scoring round, and the time limit in milliseconds. */
const READS_PER_ROUND_MAX = 40;
const READING_MS_MAX = 10_000;
/** Contracts read at the same time: each takes some ten sequential requests. */
const READS_AT_ONCE = 4;

/**
 * Reads contracts, a few at once, until the round's time is used up. @returns also those for which the time was too
 * short
 */
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
    // An unavailable node leaves the contract checks unknown; it delays no verdict.
    if (!(error instanceof RetryableError)) throw error;
    return { profiles, unread: [] };
  }
  return { profiles, unread };
};

export const createContractCache = (ports: {
  store: ContractStore;
  reader: ContractReader;
  clock: Clock;
  /** Whether the node's head is meaningful for the facts at hand. */
  isLive: () => boolean;
}): ContractCache => {
  const { store, reader, clock, isLive } = ports;

  const isStale = (subject: KnownSubject, stored: StoredProfile | undefined): boolean => {
    if (!stored) return true;
    const { profile, readAtMs } = stored;
    const believedMs = profile.probe.kind === 'done' ? PROFILE_MS : UNPROBED_MS;
    const isOld = clock.now() - readAtMs > believedMs;
    // After a reorg another contract may be at the address.
    const isOther = subject.codeHash !== ZERO_HASH && profile.codeHash !== subject.codeHash;
    const isUntraded = subject.pool !== undefined && profile.pool !== subject.pool.pool;
    return isOld || isOther || isUntraded || subject.ownershipBlock > profile.blockNumber;
  };

  /** Stores profiles with the nearest scam of each. */
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
      // Unknown contracts come first: others have an older profile.
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
