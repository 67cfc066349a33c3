/** An id and its ring before a step. The anchor is the deployer after which the ring is named, if known. */
export interface Claim {
  readonly id: string;
  readonly anchor: number | undefined;
  readonly wallets: readonly number[];
}

/**
 * Effects of a block on ids: claims that it ended or passed to another deployer, as they were before it, and ids that
 * it assigned. Needed to undo the block.
 */
export interface Naming {
  readonly before: readonly Claim[];
  readonly given: readonly string[];
}

export const NO_NAMING: Naming = { before: [], given: [] };

/** Combined effects of several blocks, the lowest first: an id assigned by one of them was unused before. */
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
