import type { Hex } from '../../../shared/chain/block.ts';
import type { ClusterChange } from '../../../shared/messages/clusterMessage.ts';
import type { MemberRow, RingRow } from './ringRow.ts';

/** A ring as it was stored last. */
export interface StoredRing extends RingRow {
  /** Id of the ring it was merged into, empty for a living one. */
  readonly mergedInto: string;
}

/** What has to be written so that the stored ring becomes the one that is. */
export interface RingWrite {
  readonly id: string;
  /** The ring's own row; null where it is right as it is. */
  readonly row: (RingRow & { readonly mergedInto: string; readonly isDeleted: boolean }) | null;
  readonly members: readonly (MemberRow & { readonly isDeleted: boolean })[];
  /** What to publish; null where nothing of note changed. */
  readonly event: RingEvent | null;
}

/** What happened to a ring, for subscribers. */
export interface RingEvent {
  readonly change: ClusterChange;
  readonly otherClusterId: string | null;
  readonly joined: readonly Hex[];
  readonly left: readonly Hex[];
}

/** Members of which the stored table differs from what is wanted, the vanished ones as tombstones. */
const difference = (stored: readonly MemberRow[], wanted: readonly MemberRow[]) => {
  const before = new Map(stored.map((row) => [row.wallet, row]));
  const after = new Set(wanted.map(walletOf));
  const fresh = wanted.filter(
    (row) => JSON.stringify(before.get(row.wallet)) !== JSON.stringify(row),
  );
  const stale = stored.filter((row) => !after.has(row.wallet));
  return [
    ...fresh.map((row) => ({ ...row, isDeleted: false })),
    ...stale.map((row) => ({ ...row, isDeleted: true })),
  ];
};

const walletOf = ({ wallet }: MemberRow): Hex => wallet;

/** Fields of a ring's own row. */
const head = ({ members: _members, ...rest }: RingRow): object => rest;

/** What a ring's new state requires to be written and published. `splitFrom`: the ring most of its wallets left. */
export const ringChange = (
  stored: StoredRing | undefined,
  wanted: RingRow,
  splitFrom: string | null,
): RingWrite => {
  const before: readonly MemberRow[] = stored?.members ?? [];
  const isNew = before.length === 0;
  const { mergedInto: _mergedInto, ...known } = stored ?? { ...wanted, mergedInto: '' };
  const isSame =
    stored?.mergedInto === '' &&
    before.length === wanted.members.length &&
    JSON.stringify(head(known)) === JSON.stringify(head(wanted));
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
    row: isSame ? null : { ...wanted, mergedInto: '', isDeleted: false },
    members: difference(before, wanted.members),
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

/** What the end of a ring requires to be written and published: merged into another, or dissolved. */
export const ringEnd = (
  id: string,
  stored: StoredRing | undefined,
  mergedInto: string | null,
): RingWrite => {
  const nothing: RingWrite = { id, row: null, members: [], event: null };
  if (!stored) return nothing;
  // A row that was not merged is of a living ring, also where a crash left its members unwritten.
  const wasAlive = stored.members.length > 0 || stored.mergedInto === '';
  if (!wasAlive && stored.mergedInto === (mergedInto ?? '')) return nothing;
  return {
    id,
    row: {
      ...stored,
      evidence: [],
      mergedInto: mergedInto ?? '',
      isDeleted: mergedInto === null,
    },
    members: stored.members.map((member) => ({ ...member, isDeleted: true })),
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
