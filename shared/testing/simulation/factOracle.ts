import { rangeOfBlocks } from '../../../pipeline/watcher/blockRange.ts';
import type { Hex } from '../../chain/block.ts';
import type { BlockFacts } from '../../chain/chainEvent.ts';
import type { Fact } from '../../chain/fact.ts';
import type { FakeChain } from '../fakeChain.ts';
import { type CastToken, POOLS, TOKENS } from './cast.ts';

/** The canonical chain decoded, empty blocks left out. */
export const canonicalBlocks = (chain: FakeChain): BlockFacts[] =>
  chain.canonical().flatMap((block) => rangeOfBlocks([block]).blocks);

/** One line a fact, for all that is kept of facts. */
export const factLine = (block: { hash: Hex; number: number; timestampS: number }, fact: Fact) =>
  [
    block.number,
    block.hash,
    block.timestampS,
    ...Object.entries(fact)
      .map(([name, value]) => `${name}=${value}`)
      .toSorted(),
  ].join(' ');

/** Lines of all facts that have a row. */
export const expectedFacts = (blocks: readonly BlockFacts[]): string[] =>
  blocks
    .flatMap((block) =>
      block.facts.filter(({ kind }) => kind !== 'creation').map((fact) => factLine(block, fact)),
    )
    .toSorted();

/** A token and where it was first seen to be one. */
export interface ExpectedToken {
  readonly token: CastToken;
  readonly block: BlockFacts;
}

const isSight = (token: CastToken, fact: Fact): boolean => {
  if (fact.kind === 'transfer') return fact.token === token.address;
  return (
    fact.kind === 'pairCreated' && (fact.token0 === token.address || fact.token1 === token.address)
  );
};
const isCreation = (token: CastToken, fact: Fact): boolean =>
  fact.kind === 'creation' && fact.contract === token.address;

/**
 * The block that first shows a contract to be a token: a deployed one where it was made, one made by a
 * factory where it first acts or is paired, a silent one where it first acts once it is there.
 */
export const expectedTokens = (blocks: readonly BlockFacts[]): ExpectedToken[] =>
  TOKENS.flatMap((token): ExpectedToken[] => {
    const { nature } = token;
    if (nature === 'notToken') return [];
    const made = blocks.find(({ facts }) => facts.some((fact) => isCreation(token, fact)));
    if (nature === 'deployed') return made ? [{ token, block: made }] : [];
    const from = nature === 'factory' ? 0 : (made?.number ?? Number.POSITIVE_INFINITY);
    const block = blocks.find(
      ({ number, facts }) => number >= from && facts.some((fact) => isSight(token, fact)),
    );
    return block ? [{ token, block }] : [];
  });

/** Addresses of the pools that exist. */
export const expectedPools = (blocks: readonly BlockFacts[]): Hex[] =>
  POOLS.map(({ address }) => address).filter((pool) =>
    blocks.some(({ facts }) =>
      facts.some((fact) => fact.kind === 'pairCreated' && fact.pool === pool),
    ),
  );
