import type { EdgeKind } from '../graph/facts.ts';

/** What a row of edges.csv is taken for; `lpAdded` and `created` only tell pools and tokens from wallets. */
export type RowKind = EdgeKind | 'lpAdded' | 'created';

/** The first pattern that a kind's letters match decides. */
const PATTERNS: readonly (readonly [RegExp, RowKind])[] = [
  [
    /(add|provide|supply|mint).*(lp|liquidity)|(lp|liquidity).*(add|provide|supply|mint)|^mint$/,
    'lpAdded',
  ],
  [/lp|liquidity|^burn$|rugpull/, 'lpRemoved'],
  [/proceed|cashout|collect|sweep|consolidat|profit|payout|launder/, 'proceeds'],
  [/sell|sold/, 'sold'],
  [/swap|trade|buy|bought|purchas|snip/, 'bought'],
  [/deploy|create|creation/, 'created'],
  [/token|erc20|airdrop|hand(ed|out)/, 'token'],
  [/fund|gas|topup|seed|withdraw/, 'funding'],
];

/** What a kind is taken for; anything unknown is a transfer of value. */
export const mapKind = (kind: string): RowKind => {
  const letters = kind.toLowerCase().replace(/[^a-z0-9]/g, '');
  return PATTERNS.find(([pattern]) => pattern.test(letters))?.[1] ?? 'native';
};

const MONEY_KINDS: ReadonlySet<RowKind> = new Set<RowKind>([
  'native',
  'funding',
  'proceeds',
  'lpRemoved',
]);

/**
 * What a kind is taken for beside the others of its file: one word for all money tells no purpose, and where
 * nothing would be money, what looks like tokens is.
 */
export const plainKind = (kinds: ReadonlySet<RowKind>): ((kind: RowKind) => RowKind) => {
  const money = [...kinds].filter((kind) => MONEY_KINDS.has(kind));
  if (money.length === 0) return (kind) => (kind === 'token' ? 'native' : kind);
  const [only] = money;
  return (kind) => (money.length === 1 && kind === only ? 'native' : kind);
};
