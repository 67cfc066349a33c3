import type { ChainGraph } from './chainGraph.ts';

/** Digits of the anchor's address in a ring's id: 64 bits, out of reach of made-to-order addresses. */
const ID_DIGITS = 16;

/** An id and who bore it before a step. The anchor is the deployer the ring is named after, if known. */
export interface Claim {
  readonly id: string;
  readonly anchor: number | undefined;
  readonly wallets: readonly number[];
}

/**
 * What a block did to ids: claims that it ended or handed to another deployer, as they were before it,
 * and ids that it gave. What is needed to take the block back.
 */
export interface Naming {
  readonly before: readonly Claim[];
  readonly given: readonly string[];
}

export const NO_NAMING: Naming = { before: [], given: [] };

/** What several blocks did together, the lowest first: an id given by one of them was nobody's before. */
export const joinNamings = (namings: readonly Naming[]): Naming => {
  const before = new Map<string, Claim>();
  const given = new Set<string>();
  for (const naming of namings) {
    for (const claim of naming.before) {
      if (!before.has(claim.id) && !given.has(claim.id)) before.set(claim.id, claim);
    }
    for (const id of naming.given) if (!before.has(id)) given.add(id);
  }
  return { before: [...before.values()], given: [...given] };
};

/**
 * Who keeps an id. A ring keeps its id as long as the deployer it was named after is in it. When rings
 * merge, the one with the earliest deployer lives on. When one splits, the part with that deployer keeps
 * the id. Where the deployer is gone, the part with most of the old wallets inherits.
 */
export const createRingIds = ({ tokens, wallets: table, isScammer }: ChainGraph) => {
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
    /** The deployer a new ring is named after: the first who deployed a scam. */
    anchorOf: (wallets: readonly number[]): number =>
      wallets
        .filter((wallet) => isScammer(wallet))
        .reduce((first, wallet) => (isEarlier(wallet, first) ? wallet : first)),
    /** Which part a claim goes to: where its anchor is, else where most of its wallets are; none if gone. */
    heirOf: (claim: Claim, partOf: ReadonlyMap<number, number>): number | undefined => {
      if (claim.anchor !== undefined && partOf.has(claim.anchor)) return partOf.get(claim.anchor);
      const counts = new Map<number, number>();
      for (const wallet of claim.wallets) {
        const part = partOf.get(wallet);
        if (part !== undefined) counts.set(part, (counts.get(part) ?? 0) + 1);
      }
      return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0];
    },
    /** Whether one claim outlives another on the same part: an anchor that is there, the earlier, then size. */
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
