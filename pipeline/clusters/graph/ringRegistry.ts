import type { ChainGraph } from './chainGraph.ts';
import { reserve } from './reserve.ts';
import type { Ring, RingChanges } from './ring.ts';
import type { KnownRing } from './ringDetector.ts';
import type { Claim, Naming } from './ringNaming.ts';

/** Digits of the anchor's address in a ring's id: 64 bits, too many for addresses generated to match. */
const ID_DIGITS = 16;

/**
 * Who keeps an id. A ring keeps its id as long as the deployer after which it is named belongs to it. When rings
 * merge, the one with the earliest deployer survives. When one splits, the part with that deployer keeps the id. If
 * its deployer has left, the part with most of the old wallets inherits it.
 */
const createRingIds = ({ tokens, wallets: table, isScammer }: ChainGraph) => {
  const firstScamBlock = (wallet: number): number =>
    tokens
      .createdBy(wallet)
      .filter(({ token }) => tokens.isScam(token))
      .reduce((first, { block }) => Math.min(first, block), Number.MAX_SAFE_INTEGER);
  const isEarlier = (a: number, b: number): boolean => {
    const [blockA, blockB] = [firstScamBlock(a), firstScamBlock(b)];
    return blockA === blockB ? table.addressOf(a) < table.addressOf(b) : blockA < blockB;
  };
  return {
    idOf: (anchor: number): string => `cl_${table.addressOf(anchor).slice(2, 2 + ID_DIGITS)}`,
    /** The deployer after which a new ring is named: the first that deployed a scam. */
    anchorOf: (wallets: readonly number[]): number =>
      wallets
        .filter((wallet) => isScammer(wallet))
        .reduce((first, wallet) => (isEarlier(wallet, first) ? wallet : first)),
    /**
     * Which part a claim goes to: that of its anchor, else that with most of its wallets; none if no wallet is left.
     */
    heirOf: (claim: Claim, partOf: ReadonlyMap<number, number>): number | undefined => {
      if (claim.anchor !== undefined && partOf.has(claim.anchor)) return partOf.get(claim.anchor);
      const counts = new Map<number, number>();
      for (const wallet of claim.wallets) {
        const part = partOf.get(wallet);
        if (part !== undefined) counts.set(part, (counts.get(part) ?? 0) + 1);
      }
      return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0];
    },
    /**
     * Whether one claim wins over another on the same part: a present anchor, then the earlier one, then size.
     */
    outlives: (a: Claim, b: Claim, part: ReadonlySet<number>): boolean => {
      const [anchorA, anchorB] = [a, b].map(({ anchor }) =>
        anchor !== undefined && part.has(anchor) ? anchor : undefined,
      );
      if (anchorA !== undefined && anchorB !== undefined) return isEarlier(anchorA, anchorB);
      if (anchorA !== undefined || anchorB !== undefined) return anchorA !== undefined;
      if (a.wallets.length !== b.wallets.length) return a.wallets.length > b.wallets.length;
      return a.id < b.id;
    },
  };
};

/** A registered ring. The anchor is the deployer after which it is named. */
export interface HeldRing extends Claim {
  readonly description: Ring;
}

type Parts = readonly (readonly number[])[];

/** Which of the claims on one part survives: a newly assigned id only if there is no other. */
const survivorOf = (
  ids: ReturnType<typeof createRingIds>,
  claims: readonly Claim[],
  given: ReadonlySet<string>,
  inside: ReadonlySet<number>,
): Claim | undefined => {
  const older = claims.filter(({ id }) => !given.has(id));
  return (older.length > 0 ? older : claims).reduce<Claim | undefined>(
    (best, claim) => (best && !ids.outlives(claim, best, inside) ? best : claim),
    undefined,
  );
};

/** Which part each claim goes to, and which claim names each part. */
const inherit = (
  ids: ReturnType<typeof createRingIds>,
  claims: readonly Claim[],
  given: ReadonlySet<string>,
  parts: Parts,
): { heirs: (number | undefined)[]; survivors: (Claim | undefined)[] } => {
  const partOf = new Map(parts.flatMap((part, i) => part.map((wallet) => [wallet, i] as const)));
  const heirs = claims.map((claim) => ids.heirOf(claim, partOf));
  const survivors = parts.map((wallets, part) =>
    survivorOf(
      ids,
      claims.filter((_, k) => heirs[k] === part),
      given,
      new Set(wallets),
    ),
  );
  return { heirs, survivors };
};

/** Effects of a step on the ids of the rings it released. */
const namingOf = (
  held: ReadonlyMap<string, HeldRing>,
  released: readonly HeldRing[],
  changed: readonly Ring[],
): Naming => {
  const before = released.flatMap(({ id, anchor, wallets }) =>
    held.get(id)?.anchor === anchor ? [] : [{ id, anchor, wallets }],
  );
  const known = new Set(released.map(({ id }) => id));
  return { before, given: changed.flatMap(({ id }) => (known.has(id) ? [] : [id])) };
};

/** The claim of a ring from an earlier run. */
const claimOf = (
  { wallets: table }: ChainGraph,
  { idOf }: ReturnType<typeof createRingIds>,
  { id, wallets: addresses }: KnownRing,
): Claim => {
  const wallets = addresses.map((address) => table.find(address)).filter((wallet) => wallet >= 0);
  return { id, anchor: wallets.find((wallet) => idOf(wallet) === id), wallets };
};

/** The rings by id and by wallet. */
const createRingIndex = (capacity: number) => {
  const held = new Map<string, HeldRing>();
  const ringOfWallet = new Map<number, HeldRing>();
  /** Avoids the look-up for the many wallets that are in no ring. */
  const isInRing = reserve(Uint8Array, capacity);
  return {
    held,
    ringOf: (wallet: number): HeldRing | undefined =>
      isInRing[wallet] === 1 ? ringOfWallet.get(wallet) : undefined,
    add: (ring: HeldRing): void => {
      held.set(ring.id, ring);
      for (const wallet of ring.wallets) {
        ringOfWallet.set(wallet, ring);
        isInRing[wallet] = 1;
      }
    },
    /** Releases a ring, before its wallets are regrouped. */
    release: (ring: HeldRing): void => {
      if (held.get(ring.id) !== ring) return;
      held.delete(ring.id);
      for (const wallet of ring.wallets) {
        ringOfWallet.delete(wallet);
        isInRing[wallet] = 0;
      }
    },
  };
};

/** Registers one part as a ring, under the id claimed for it or a new one. */
const createHold = (
  ids: ReturnType<typeof createRingIds>,
  index: ReturnType<typeof createRingIndex>,
  describe: (id: string, wallets: readonly number[]) => Ring,
) => {
  const freeId = (anchor: number): string => {
    let id = ids.idOf(anchor);
    for (let n = 2; index.held.has(id); n += 1) id = `${ids.idOf(anchor)}_${n}`;
    return id;
  };
  return (claim: Claim | undefined, wallets: readonly number[]): HeldRing => {
    const kept = claim?.anchor;
    const anchor = kept !== undefined && wallets.includes(kept) ? kept : ids.anchorOf(wallets);
    const id = claim?.id ?? freeId(anchor);
    const ring = { id, anchor, wallets, description: describe(id, wallets) };
    index.add(ring);
    return ring;
  };
};

/** Registers the rings by id and by wallet, and assigns ids to those found again. */
export const createRingRegistry = (
  graph: ChainGraph,
  describe: (id: string, wallets: readonly number[]) => Ring,
) => {
  const index = createRingIndex(graph.wallets.capacity);
  const { held } = index;
  const ids = createRingIds(graph);
  const hold = createHold(ids, index, describe);

  /** Registers the parts in place of the claims' rings; newly assigned ids have lower priority. */
  const nameParts = (
    claims: readonly Claim[],
    given: readonly string[],
    parts: Parts,
    before: ReadonlyMap<string, Ring>,
  ): RingChanges => {
    const { heirs, survivors } = inherit(ids, claims, new Set(given), parts);
    // Those with an id first: a new ring must not take an id that is still in use.
    const order = [...parts.keys()].sort((a, b) => Number(!survivors[a]) - Number(!survivors[b]));
    const rings = new Map(order.map((i) => [i, hold(survivors[i], parts[i] ?? [])]));
    const changed = [...rings.values()]
      .map(({ description }) => description)
      .filter((ring) => JSON.stringify(before.get(ring.id)) !== JSON.stringify(ring));
    const removed = claims.flatMap(({ id }, i) =>
      held.has(id) ? [] : [{ id, mergedInto: rings.get(heirs[i] ?? -1)?.id ?? null }],
    );
    return { changed, removed };
  };

  return {
    rings: held,
    ringOf: index.ringOf,
    release: index.release,
    /**
     * Registers the parts into which the released rings turned, under their ids. `undone` are the effects of reverted
     * blocks on ids: the ring that had an id before them gets it back.
     */
    replace: (
      released: readonly HeldRing[],
      parts: Parts,
      undone: Naming,
    ): { changes: RingChanges; naming: Naming } => {
      const before = new Map(released.map((ring) => [ring.id, ring.description]));
      const earlier = new Set(undone.before.map(({ id }) => id));
      const claims = [...undone.before, ...released.filter(({ id }) => !earlier.has(id))];
      const { changed, removed } = nameParts(claims, undone.given, parts, before);
      return {
        // The removal of an id that is in use again was published earlier.
        changes: { changed, removed: removed.filter(({ id }) => before.has(id)) },
        naming: namingOf(held, released, changed),
      };
    },
    /** Registers the parts found in stored facts, under the ids of an earlier run. */
    adopt: (known: readonly KnownRing[], parts: Parts): RingChanges => {
      const claims = known.map((ring) => claimOf(graph, ids, ring));
      return nameParts(claims, [], parts, new Map());
    },
  };
};
export type RingRegistry = ReturnType<typeof createRingRegistry>;
