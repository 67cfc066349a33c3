import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { isOtherMarket } from '../../../shared/chain/fact.ts';
import type { TokenCreation } from './graphFact.ts';

/** A creation from the index: `source` says how certain the creator is. */
export interface IndexedCreation extends TokenCreation {
  readonly source: 'unknown' | 'deployment' | 'first_transfer' | 'pair_created';
}

/** Contracts that may appear for the first time in these blocks: only these can be new tokens. */
export const contractsIn = (blocks: readonly BlockFacts[]): Hex[] => {
  const contracts = new Set<Hex>();
  for (const { facts } of blocks) {
    for (const fact of facts) {
      if (isOtherMarket(fact)) continue;
      if (fact.kind === 'creation') contracts.add(fact.contract);
      else if (fact.kind === 'transfer') contracts.add(fact.token);
      else if (fact.kind === 'poolCreated') contracts.add(fact.token0).add(fact.token1);
    }
  }
  return [...contracts];
};

const mintsOf = ({ facts }: BlockFacts): Set<string> =>
  new Set(
    facts.flatMap((fact) =>
      fact.kind === 'transfer' && fact.from === ZERO_ADDRESS
        ? [`${fact.token} ${fact.txHash}`]
        : [],
    ),
  );

/**
 * Those tokens that were created in one of the blocks, by the named creator. The sender of the first transfer counts
 * as creator only if that transfer is a mint: an old token that is seen for the first time can be moved by anybody.
 */
export const creationsIn = (
  candidates: readonly IndexedCreation[],
  blocks: readonly BlockFacts[],
): TokenCreation[] => {
  const byHash = new Map(blocks.map((block) => [block.hash, block]));
  return candidates.filter(({ token, source, block, txHash }) => {
    const home = byHash.get(block.hash);
    if (!home || source === 'unknown') return false;
    return source !== 'first_transfer' || mintsOf(home).has(`${token} ${txHash}`);
  });
};
