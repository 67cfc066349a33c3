import type { BlockHeader, Hex } from '../../../shared/chain/block.ts';
import { emptyLocalChain, extend, type LocalChain } from '../localChain.ts';

/** Hash of a block of a branch. */
export const hashAt = (branch: string, number: number): Hex =>
  `0x${Buffer.from(`${branch}${number}`).toString('hex').padStart(64, '0')}`;

/** Header of a block of a branch, which left branch a after block `fork`. */
export const headerAt = (branch: string, number: number, fork = 0): BlockHeader => ({
  number,
  hash: hashAt(branch, number),
  parentHash: hashAt(number - 1 <= fork ? 'a' : branch, number - 1),
  timestampS: number,
});

/** Blocks of branch a in the watcher's form. */
export const chainOf = (from: number, to: number): LocalChain => {
  let chain = emptyLocalChain(from);
  for (let number = from; number <= to; number += 1) chain = extend(chain, headerAt('a', number));
  return chain;
};
