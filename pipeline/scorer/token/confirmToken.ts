import type { Hex } from '../../../shared/chain/block.ts';
import { safeText } from '../../../shared/rules/safeText.ts';
import { instructionsOf } from '../contract/codePatterns.ts';
import { decodeDecimals, decodeText, decodeUint } from './decodeAnswer.ts';

/** A contract's result; undefined if a call reverted or the node refused. */
export interface ContractAnswers {
  readonly code: Hex | undefined;
  readonly name: string | undefined;
  readonly symbol: string | undefined;
  readonly decimals: string | undefined;
  readonly totalSupply: string | undefined;
  /** Whether it sent a Transfer or is in a pool: a router only contains the selectors. */
  readonly acts: boolean;
}

/** A token's name and symbol, sanitised. */
interface TokenProfile {
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
/**
 * Spam puts its invitation into the symbol: of 1,497 such symbols 549 are longer than 32, six longer than this.
 */
const SYMBOL_CODE_POINTS_MAX = 64;

/** Selectors every ERC-20 dispatches on: transfer, balanceOf, approve. EIP-20. */
const ERC20_SELECTORS: readonly string[] = ['a9059cbb', '70a08231', '095ea7b3'];

const DELEGATECALL = 0xf4;
/** A proxy is short because its logic is elsewhere. Circle's FiatTokenProxy has 2.2 kB. */
const PROXY_BYTES_MAX = 6_000;

/** Whether short code forwards its calls to another contract. */
const isProxy = (code: Hex): boolean =>
  code.length <= 2 + 2 * PROXY_BYTES_MAX &&
  instructionsOf(code).some(({ opcode }) => opcode === DELEGATECALL);

const text = (answer: string | undefined, max: number): string | undefined => {
  const decoded = answer === undefined ? undefined : decodeText(answer);
  return decoded === undefined ? undefined : safeText(decoded, max);
};

/**
 * Decides whether a contract is an ERC-20 token. If calls return results, they decide: `decimals()` together with one
 * of name, symbol or supply (an ERC-721 has no decimals). Otherwise bytecode with the three selectors, or that of a
 * proxy, decides for a contract that acts like a token. A silent address without code is no contract.
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
  const holdsSelectors = ERC20_SELECTORS.every((selector) => code.includes(selector));
  const byCode = answers.acts && (holdsSelectors || isProxy(code));
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

/** How the creator of a token was found. `deployment` is certain; the others take the sender. */
export type CreatorSource = 'unknown' | 'deployment' | 'first_transfer' | 'pair_created';

/** A confirmed token as it is kept. */
export interface TokenRecord extends TokenProfile {
  readonly chainId: number;
  readonly token: Hex;
  readonly creator: Hex;
  readonly creatorSource: CreatorSource;
  readonly createdBlock: number;
  readonly createdBlockHash: Hex;
  readonly createdTx: Hex;
  /** Unix seconds. */
  readonly createdAtS: number;
  /** keccak-256 of the code, or zero if the node returns no code. */
  readonly codeHash: Hex;
}
