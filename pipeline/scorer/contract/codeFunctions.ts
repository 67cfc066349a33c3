import { contractInfo } from 'evmole';
import type { Hex } from '../../../shared/chain/block.ts';

/** A function that the dispatcher of a contract knows. */
export interface CodeFunction {
  readonly selector: Hex;
  /** Types of its arguments, as far as the code shows them: `address,uint256`. */
  readonly arguments: string;
  /** Whether it may write to the state, as far as the code shows. */
  readonly writes: boolean;
}

/** Contracts have a few dozen functions; a list longer than this is made to be long. */
const FUNCTIONS_MAX = 256;
const READ_ONLY: ReadonlySet<string | undefined> = new Set(['pure', 'view']);

/** The functions of deployed code, found by following its dispatcher; none where that fails. */
export const codeFunctions = (code: Hex): CodeFunction[] => {
  try {
    const info = contractInfo(code, { selectors: true, arguments: true, stateMutability: true });
    return (info.functions ?? []).slice(0, FUNCTIONS_MAX).map((one) => ({
      selector: `0x${one.selector}`,
      arguments: one.arguments ?? '',
      writes: !READ_ONLY.has(one.stateMutability),
    }));
  } catch {
    // Hostile code may break the analysis: that its functions are unknown is all that follows.
    return [];
  }
};
