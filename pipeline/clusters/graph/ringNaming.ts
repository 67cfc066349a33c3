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

/** What several blocks did together, the lowest first: an id given by one of them was unused before. */
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
