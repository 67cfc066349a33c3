import type { BlockHeader, Hex } from '../../shared/chain/block.ts';
import { FatalError, RetryableError } from '../../shared/runtime/errors.ts';
import type { LocalChain } from './localChain/localChain.ts';
import { walkDown } from './localChain/reconcile.ts';
import type { ChainSource } from './ports.ts';

/** Headers of other branches remembered, at the most. */
const WALKED_MAX = 10_000;

const tooDeepError = (chain: LocalChain, { number, hash }: BlockHeader): FatalError => {
  const lowest = Math.max(chain.finalNumber, chain.headers[0]?.number ?? 0);
  return new FatalError(
    `reorg beyond finality: the node's block ${number} (${hash}) does not descend from block ` +
      `${lowest}, which was told as final. Check which chain RPC_URL serves; if the chain was really ` +
      'rewritten, delete its stream and its facts and start anew',
  );
};

/**
 * Walks down the branch of `header` by parent hashes to the block it shares with our chain.
 * @param walked headers already asked for; a search that fails half-way goes on from there.
 * @throws FatalError where the branches part below what was told as final, or below all we know.
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
    if (move.kind === 'tooDeep') throw tooDeepError(chain, header);
    if (move.kind === 'ancestor') return move.ancestor;
    const parent = walked.get(move.hash) ?? (await source.header(move.hash));
    walked.set(move.hash, parent);
    if (parent.number !== lowest.number - 1) {
      throw new RetryableError(
        `block ${move.hash} stands at ${parent.number}, below ${lowest.number}`,
      );
    }
    if (move.kind === 'ancestorBelow') return parent;
    lowest = parent;
  }
};
