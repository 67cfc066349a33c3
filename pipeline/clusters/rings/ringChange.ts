import { isDeepStrictEqual } from 'node:util';
import type { Hex } from '../../../shared/chain/block.ts';
import type { ClusterChange } from '../../../shared/messages/clusterMessage.ts';
import type { MemberRow, RingRow } from './ringRow.ts';

/** A ring as last stored. */
export interface StoredRing extends RingRow {
  /** Id of the ring it was merged into, empty for an existing ring. */
  readonly mergedInto: string;
}

/** A ring to write; `isDeleted`: it dissolved. */
export interface WrittenRing extends StoredRing {
  readonly isDeleted: boolean;
}

/** What must be written to update the stored ring. */
export interface RingWrite {
  readonly id: string;
  /** Null if the stored row is up to date. */
  readonly row: WrittenRing | null;
  /** What to publish; null if nothing relevant changed. */
  readonly event: RingEvent | null;
}

/** What happened to a ring, for subscribers. */
export interface RingEvent {
  readonly change: ClusterChange;
  readonly otherClusterId: string | null;
  readonly joined: readonly Hex[];
  readonly left: readonly Hex[];
}

const walletOf = ({ wallet }: MemberRow): Hex => wallet;

/**
 * What must be written and published for a ring's new state. `splitFrom`: the ring that most of its wallets left.
 */
export const ringChange = (
  stored: StoredRing | undefined,
  wanted: RingRow,
  splitFrom: string | null,
): RingWrite => {
  const before: readonly MemberRow[] = stored?.members ?? [];
  const isNew = before.length === 0;
  const ring: StoredRing = { ...wanted, mergedInto: '' };
  const was = new Set(before.map(walletOf));
  const is = new Set(wanted.members.map(walletOf));
  const joined = wanted.members.filter((member) => !was.has(member.wallet));
  const left = before.filter((member) => !is.has(member.wallet));
  const created: ClusterChange = splitFrom === null ? 'created' : 'split';
  const grew =
    joined.length + left.length > 0 ||
    stored?.tokensCreated !== wanted.tokensCreated ||
    stored.scams !== wanted.scams;
  return {
    id: wanted.id,
    row: isDeepStrictEqual(stored, ring) ? null : { ...ring, isDeleted: false },
    event:
      isNew || grew
        ? {
            change: isNew ? created : 'changed',
            otherClusterId: isNew ? splitFrom : null,
            joined: joined.map(({ wallet }) => wallet),
            left: left.map(({ wallet }) => wallet),
          }
        : null,
  };
};

/** What must be written and published at the end of a ring: merged into another, or dissolved. */
export const ringEnd = (
  id: string,
  stored: StoredRing | undefined,
  mergedInto: string | null,
): RingWrite => {
  const nothing: RingWrite = { id, row: null, event: null };
  if (!stored) return nothing;
  const wasAlive = stored.mergedInto === '';
  if (!wasAlive && stored.mergedInto === mergedInto) return nothing;
  return {
    id,
    row: {
      ...stored,
      members: [],
      evidence: [],
      mergedInto: mergedInto ?? '',
      isDeleted: mergedInto === null,
    },
    event: wasAlive
      ? {
          change: mergedInto === null ? 'removed' : 'merged',
          otherClusterId: mergedInto,
          joined: [],
          left: stored.members.map(({ wallet }) => wallet),
        }
      : null,
  };
};
