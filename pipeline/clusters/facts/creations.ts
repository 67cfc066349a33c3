import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { isOtherMarket } from '../../../shared/chain/fact.ts';
import type { TokenCreation } from './graphFact.ts';

/** A creation as the index has it: `source` says how sure the creator is. */
export interface IndexedCreation extends TokenCreation {
  readonly source: 'unknown' | 'deployment' | 'first_transfer' | 'pair_created';
}

/** Contracts that blocks show for what may be the first time: the only ones that can be new tokens. */
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
 * Those of the tokens that were made in one of the blocks, by the creator named. Whoever sent the first
 * transfer made the token only where that transfer came from nowhere: of an old token that is seen for
 * the first time it is anybody.
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
