import type { ChainGraph } from './chainGraph.ts';
import type { Ring, RingChanges } from './ring.ts';
import type { KnownRing } from './ringDetector.ts';

/** Digits of the anchor's address in a ring's id: 64 bits, out of reach of made-to-order addresses. */
const ID_DIGITS = 16;

/** A ring as it is held. The anchor is the deployer it is named after. */
export interface HeldRing {
  readonly id: string;
  readonly anchor: number;
  readonly wallets: readonly number[];
  readonly description: Ring;
}

/** An id and who bore it before a step: a held ring, or one known from an earlier run. */
interface Claim {
  readonly id: string;
  readonly anchor: number | undefined;
  readonly wallets: readonly number[];
}

/**
 * Holds the rings and keeps their ids: a ring keeps its id as long as the deployer it was named after is
 * in it. When rings merge, the one with the earliest deployer lives on. When one splits, the part with
 * that deployer keeps the id. Where the deployer is gone, the part with most of the old wallets inherits.
 */
export const createRingBook = (
  graph: ChainGraph,
  describe: (id: string, wallets: readonly number[]) => Ring,
) => {
  const held = new Map<string, HeldRing>();
  const ringOfWallet = new Map<number, HeldRing>();
  const { tokens, wallets: table } = graph;

  const firstScamBlock = (wallet: number): number =>
    tokens
      .createdBy(wallet)
      .filter(({ token }) => tokens.isScam(token))
      .reduce((first, { block }) => Math.min(first, block), Number.MAX_SAFE_INTEGER);
  const isEarlier = (a: number, b: number): boolean => {
    const [blockA, blockB] = [firstScamBlock(a), firstScamBlock(b)];
    return blockA === blockB ? table.addressOf(a) < table.addressOf(b) : blockA < blockB;
  };
  const anchorOf = (wallets: readonly number[]): number =>
    wallets
      .filter((wallet) => graph.isScammer(wallet))
      .reduce((first, wallet) => (isEarlier(wallet, first) ? wallet : first));
  const newId = (anchor: number): string => {
    const id = `cl_${table.addressOf(anchor).slice(2, 2 + ID_DIGITS)}`;
    let free = id;
    for (let n = 2; held.has(free); n += 1) free = `${id}_${n}`;
    return free;
  };

  /** Which part each claim goes to: where its anchor is, else where most of its wallets are; none if gone. */
  const heirOf = (claim: Claim, partOf: ReadonlyMap<number, number>): number | undefined => {
    if (claim.anchor !== undefined && partOf.has(claim.anchor)) return partOf.get(claim.anchor);
    const counts = new Map<number, number>();
    for (const wallet of claim.wallets) {
      const part = partOf.get(wallet);
      if (part !== undefined) counts.set(part, (counts.get(part) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0];
  };
  /** Whether one claim outlives another on the same part: an anchor that is there, the earlier, then size. */
  const outlives = (a: Claim, b: Claim, part: ReadonlySet<number>): boolean => {
    const [anchorA, anchorB] = [a, b].map(({ anchor }) =>
      anchor !== undefined && part.has(anchor) ? anchor : undefined,
    );
    if (anchorA !== undefined && anchorB !== undefined) return isEarlier(anchorA, anchorB);
    if (anchorA !== undefined || anchorB !== undefined) return anchorA !== undefined;
    if (a.wallets.length !== b.wallets.length) return a.wallets.length > b.wallets.length;
    return a.id < b.id;
  };

  const hold = (claim: Claim | undefined, wallets: readonly number[]): HeldRing => {
    const isThere = claim?.anchor !== undefined && wallets.includes(claim.anchor);
    const anchor = isThere && claim?.anchor !== undefined ? claim.anchor : anchorOf(wallets);
    const id = claim?.id ?? newId(anchor);
    const ring = { id, anchor, wallets, description: describe(id, wallets) };
    held.set(id, ring);
    for (const wallet of wallets) ringOfWallet.set(wallet, ring);
    return ring;
  };

  /** Rings in place of those that bore the claims. */
  const replace = (
    claims: readonly Claim[],
    parts: readonly (readonly number[])[],
    before: ReadonlyMap<string, Ring>,
  ): RingChanges => {
    const partOf = new Map<number, number>();
    parts.forEach((wallets, part) => {
      for (const wallet of wallets) partOf.set(wallet, part);
    });
    const heirs = claims.map((claim) => heirOf(claim, partOf));
    const survivors = parts.map((wallets, part) => {
      const inside = new Set(wallets);
      return claims
        .filter((_, i) => heirs[i] === part)
        .reduce<Claim | undefined>(
          (best, claim) => (best && !outlives(claim, best, inside) ? best : claim),
          undefined,
        );
    });
    // Named survivors first: a new ring must not take an id that is still borne.
    const order = parts
      .map((_, part) => part)
      .sort((a, b) => Number(!survivors[a]) - Number(!survivors[b]));
    const rings = new Map(order.map((part) => [part, hold(survivors[part], parts[part] ?? [])]));
    const removed = claims.flatMap(({ id }, i) => {
      if (held.has(id)) return [];
      const heir = heirs[i];
      const into = heir === undefined ? undefined : rings.get(heir);
      return [{ id, mergedInto: into?.id ?? null }];
    });
    const changed = [...rings.values()]
      .map(({ description }) => description)
      .filter((ring) => JSON.stringify(before.get(ring.id)) !== JSON.stringify(ring));
    return { changed, removed };
  };

  return {
    rings: held,
    ringOf: (wallet: number): HeldRing | undefined => ringOfWallet.get(wallet),
    /** Lets go of rings, before their wallets are grouped anew. */
    release: (ring: HeldRing): void => {
      held.delete(ring.id);
      for (const wallet of ring.wallets) ringOfWallet.delete(wallet);
    },
    /** Holds the parts that the released rings turned into. */
    settle: (released: readonly HeldRing[], parts: readonly (readonly number[])[]): RingChanges =>
      replace(released, parts, new Map(released.map((ring) => [ring.id, ring.description]))),
    /** Holds the parts found in stored facts, under the ids of an earlier run. */
    adopt: (known: readonly KnownRing[], parts: readonly (readonly number[])[]): RingChanges => {
      const claims = known.map(({ id, wallets }) => {
        const numbers = wallets.map(table.find).filter((wallet) => wallet >= 0);
        const anchor = numbers.find(
          (wallet) => id === `cl_${table.addressOf(wallet).slice(2, 2 + ID_DIGITS)}`,
        );
        return { id, anchor, wallets: numbers };
      });
      return replace(claims, parts, new Map());
    },
  };
};
export type RingBook = ReturnType<typeof createRingBook>;
