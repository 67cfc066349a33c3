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

/** Functions that are listed. */
const FUNCTIONS_MAX = 256;
/**
 * Contracts have a few dozen functions. What the arguments of each are takes up to milliseconds a
 * function, so that of more than this (made to take long) only the selectors are found.
 */
const ANALYZED_MAX = 128;
const READ_ONLY: ReadonlySet<string | undefined> = new Set(['pure', 'view']);

/** The functions of deployed code, found by following its dispatcher; none where that fails. */
export const codeFunctions = (code: Hex): CodeFunction[] => {
  try {
    const selectors = contractInfo(code, { selectors: true }).functions ?? [];
    const found =
      selectors.length > ANALYZED_MAX
        ? selectors
        : (contractInfo(code, { selectors: true, arguments: true, stateMutability: true })
            .functions ?? []);
    return found.slice(0, FUNCTIONS_MAX).map((one) => ({
      selector: `0x${one.selector}`,
      arguments: one.arguments ?? '',
      writes: !READ_ONLY.has(one.stateMutability),
    }));
  } catch {
    // Hostile code may break the analysis: that its functions are unknown is all that follows.
    return [];
  }
};
