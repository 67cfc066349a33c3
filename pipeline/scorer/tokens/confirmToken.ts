import type { Hex } from '../../../shared/chain/block.ts';
import { decodeDecimals, decodeText, decodeUint } from './decodeAnswer.ts';
import { safeText } from './safeText.ts';

/** What a contract answered; undefined where a call reverted or the node refused. */
export interface ContractAnswers {
  readonly code: Hex | undefined;
  readonly name: string | undefined;
  readonly symbol: string | undefined;
  readonly decimals: string | undefined;
  readonly totalSupply: string | undefined;
  /** Whether it sent a Transfer or stands in a pool: a router only holds the selectors. */
  readonly acts: boolean;
}

/** What a token calls itself, made safe. */
export interface TokenProfile {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number | undefined;
  readonly totalSupply: Hex | undefined;
  readonly confirmedBy: 'calls' | 'code';
}

export type Confirmation =
  | { readonly kind: 'token'; readonly profile: TokenProfile }
  | { readonly kind: 'notAContract' }
  | { readonly kind: 'notAToken' };

const NAME_CODE_POINTS_MAX = 128;
const SYMBOL_CODE_POINTS_MAX = 32;

/** Selectors every ERC-20 dispatches on: transfer, balanceOf, approve. EIP-20. */
const ERC20_SELECTORS: readonly string[] = ['a9059cbb', '70a08231', '095ea7b3'];

const text = (answer: string | undefined, max: number): string | undefined => {
  const decoded = answer === undefined ? undefined : decodeText(answer);
  return decoded === undefined ? undefined : safeText(decoded, max);
};

/**
 * Decides whether a contract is an ERC-20 token. Calls decide where they answer: `decimals()` beside
 * one of name, symbol or supply (an ERC-721 has no decimals). Where they do not, bytecode with the
 * three selectors decides for a contract that acts like a token. A silent address without code is no contract.
 */
export const confirmToken = (answers: ContractAnswers): Confirmation => {
  const name = text(answers.name, NAME_CODE_POINTS_MAX);
  const symbol = text(answers.symbol, SYMBOL_CODE_POINTS_MAX);
  const decimals = answers.decimals === undefined ? undefined : decodeDecimals(answers.decimals);
  const totalSupply =
    answers.totalSupply === undefined ? undefined : decodeUint(answers.totalSupply);
  const described = name !== undefined || symbol !== undefined || totalSupply !== undefined;
  const byCalls = decimals !== undefined && described;
  const code = answers.code ?? '0x';
  const byCode = answers.acts && ERC20_SELECTORS.every((selector) => code.includes(selector));
  if (!byCalls && !byCode) return { kind: code === '0x' ? 'notAContract' : 'notAToken' };
  return {
    kind: 'token',
    profile: {
      name: name ?? '',
      symbol: symbol ?? '',
      decimals,
      totalSupply,
      confirmedBy: byCalls ? 'calls' : 'code',
    },
  };
};
