import type { BlockHeader, Hex } from '../../../shared/chain/block.ts';
import { headerAt, type LocalChain, tipOf } from './localChain.ts';

/**
 * What a node's header means beside our chain. The cases:
 *
 * | the node's header                            | ours               | meaning          |
 * | -------------------------------------------- | ------------------ | ---------------- |
 * | anything                                     | nothing published  | `extends`        |
 * | height of the tip + 1, parent is the tip     |                    | `extends`        |
 * | any height, the same hash                    | kept at the height | `known`          |
 * | above the tip + 1                            |                    | `ahead`          |
 * | tip + 1 or the tip's height, otherwise       |                    | `contradicts`    |
 * | below the tip, another hash                  | kept at the height | `shorter`        |
 * | below all we keep                            | not kept           | `behind`         |
 *
 * `known` and `behind` are a node that lags: never a reason to roll back. `shorter` is either a node
 * that lags on a branch that lost, or a chain that really became shorter; only time can tell.
 */
export type HeaderMeaning = 'extends' | 'known' | 'ahead' | 'contradicts' | 'shorter' | 'behind';

/** Compares a node's header with our chain. */
export const meaningOf = (chain: LocalChain, header: BlockHeader): HeaderMeaning => {
  const tip = tipOf(chain);
  if (!tip) return 'extends';
  if (header.number > tip.number + 1) return 'ahead';
  if (header.number === tip.number + 1) {
    return header.parentHash === tip.hash ? 'extends' : 'contradicts';
  }
  const ours = headerAt(chain, header.number);
  if (!ours) return 'behind';
  if (ours.hash === header.hash) return 'known';
  return header.number === tip.number ? 'contradicts' : 'shorter';
};

/** The next move in the search for a common ancestor. */
export type WalkMove =
  | { readonly kind: 'ancestor'; readonly ancestor: BlockHeader }
  /** The parent of our first header: a node has to show it. */
  | { readonly kind: 'ancestorBelow'; readonly hash: Hex }
  | { readonly kind: 'parent'; readonly hash: Hex; readonly number: number }
  | { readonly kind: 'tooDeep' };

/**
 * Walks from a header of the other branch one parent down.
 * @param header lowest known header of the other branch.
 */
export const walkDown = (chain: LocalChain, header: BlockHeader): WalkMove => {
  const parentNumber = header.number - 1;
  const ours = headerAt(chain, parentNumber);
  if (ours?.hash === header.parentHash) return { kind: 'ancestor', ancestor: ours };
  const first = chain.headers[0];
  if (parentNumber < chain.finalNumber) return { kind: 'tooDeep' };
  if (!first || parentNumber < first.number) {
    const sameParent = first?.number === header.number && first.parentHash === header.parentHash;
    return sameParent ? { kind: 'ancestorBelow', hash: header.parentHash } : { kind: 'tooDeep' };
  }
  return parentNumber === chain.finalNumber
    ? { kind: 'tooDeep' }
    : { kind: 'parent', hash: header.parentHash, number: parentNumber };
};
