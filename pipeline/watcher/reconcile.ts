import type { BlockHeader, Hex } from '../../shared/chain/block.ts';
import { FatalError, RetryableError } from '../../shared/platform/errors.ts';
import type { ChainSource } from '../../shared/platform/rpc/createRpc.ts';
import { headerAt, type LocalChain, tipOf } from './localChain.ts';

/**
 * How a node's header relates to our chain. The cases:
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
 * `known` and `behind` mean a lagging node: never a reason to roll back. `shorter` is either a node that lags on an
 * orphaned branch, or a chain that really became shorter; only later answers can tell.
 */
type HeaderMeaning = 'extends' | 'known' | 'ahead' | 'contradicts' | 'shorter' | 'behind';

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
type WalkMove =
  | { readonly kind: 'ancestor'; readonly ancestor: BlockHeader }
  /** The parent of our first header: a node must confirm it. */
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

/** Maximum remembered headers of other branches. */
const WALKED_MAX = 10_000;

/**
 * Why a branch is refused that diverges from ours below everything that may change. A single answer may be a lie: the
 * chain differs only if a node reports another block at that height.
 */
const refusal = async (
  chain: LocalChain,
  { number, hash }: BlockHeader,
  source: Pick<ChainSource, 'header'>,
): Promise<FatalError | RetryableError> => {
  const lowest = Math.max(chain.finalNumber, chain.headers[0]?.number ?? 0);
  if ((await source.header(lowest)).hash === headerAt(chain, lowest)?.hash) {
    return new RetryableError(
      `block ${number} (${hash}) does not descend from ${lowest}, which the node's chain still has`,
    );
  }
  return new FatalError(
    `reorg beyond finality: the node's block ${number} (${hash}) does not descend from block ` +
      `${lowest}, which was published as final. Check which chain RPC_URL serves; if the chain was really ` +
      'rewritten, delete its stream and its facts and start over',
  );
};

/**
 * Walks down the branch of `header` by parent hashes to the block it shares with our chain.
 * @param walked headers already requested; a search that failed half-way continues from them.
 * @throws RetryableError if answers contradict each other; FatalError if the branches diverge below the final block,
 * or below everything known.
 */
export const findAncestor = async (
  chain: LocalChain,
  header: BlockHeader,
  source: Pick<ChainSource, 'header'>,
  walked: Map<Hex, BlockHeader>,
): Promise<BlockHeader> => {
  if (walked.size > WALKED_MAX) walked.clear();
  let lowest = header;
  for (;;) {
    const move = walkDown(chain, lowest);
    if (move.kind === 'tooDeep') throw await refusal(chain, header, source);
    if (move.kind === 'ancestor') return move.ancestor;
    const parent = walked.get(move.hash) ?? (await source.header(move.hash));
    walked.set(move.hash, parent);
    if (parent.number !== lowest.number - 1) {
      throw new RetryableError(
        `block ${move.hash} has height ${parent.number}, below ${lowest.number}`,
      );
    }
    if (move.kind === 'ancestorBelow') return parent;
    lowest = parent;
  }
};
