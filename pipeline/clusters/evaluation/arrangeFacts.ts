import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import { createdFact, NO_TOKEN } from '../facts/graphFact.ts';
import type { DetectorBlock, DetectorFact } from '../graph/ringDetector.ts';

/**
 * How a row of edges.csv is interpreted; `lpAdded` and `created` only distinguish pools and tokens from wallets.
 */
type RowKind = Exclude<DetectorFact['kind'], 'lpPaid'>;

/** Patterns for the letters of a kind; the first match decides. */
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

/** The interpretation of a kind; an unknown one is a transfer of value. */
export const mapKind = (kind: string): RowKind => {
  const letters = kind.toLowerCase().replace(/[^a-z0-9]/g, '');
  return PATTERNS.find(([pattern]) => pattern.test(letters))?.[1] ?? 'native';
};

const MONEY: ReadonlySet<RowKind> = new Set<RowKind>([
  'native',
  'funding',
  'proceeds',
  'lpRemoved',
]);
/** Whether rows of a kind move native value. */
export const isMoneyKind = (kind: RowKind): boolean => MONEY.has(kind);

/**
 * The interpretation of a kind in the context of its file. If one word stands for all money, it says nothing about
 * the purpose; if nothing would be money, kinds that look like tokens are.
 */
export const plainKind = (kinds: ReadonlySet<RowKind>): ((kind: RowKind) => RowKind) => {
  const money = [...kinds].filter(isMoneyKind);
  if (money.length === 0) return (kind) => (kind === 'token' ? 'native' : kind);
  const [only] = money;
  return (kind) => (money.length === 1 && kind === only ? 'native' : kind);
};

/** A parsed row of edges.csv. */
export interface EdgeRow {
  readonly from: Hex;
  readonly to: Hex;
  readonly kind: RowKind;
  readonly value: number;
  readonly block: number;
  readonly tx: Hex | null;
}

/** A parsed row of deployments.csv. */
export interface DeploymentRow {
  readonly token: Hex;
  readonly creator: Hex;
  readonly block: number;
  /** Undefined if the file does not say. */
  readonly isScam: boolean | undefined;
}

/** Values below this share of the median are dust. */
const DUST_TO_MEDIAN_MAX = 0.001;
/** Blocks are stored in 32 bits; above that only their order is kept. */
const BLOCK_MAX = 2 ** 32 - 2;

const MARKET: ReadonlySet<RowKind> = new Set<RowKind>(['bought', 'sold', 'lpAdded']);

/** The value below which a row is dust: a thousandth of the median of known values. */
export const dustOf = (edges: readonly EdgeRow[]): number => {
  const values = edges
    .filter(({ kind, value }) => MONEY.has(kind) && value > 0)
    .map((e) => e.value);
  const median = Float64Array.from(values).sort()[Math.floor(values.length / 2)] ?? 0;
  return median * DUST_TO_MEDIAN_MAX;
};

/**
 * Pools: addresses that are traded with or receive liquidity, are neither token nor creator, and move no money except
 * withdrawn liquidity.
 */
export const findPools = (
  edges: readonly EdgeRow[],
  deployments: readonly DeploymentRow[],
): Set<Hex> => {
  const pools = new Set(edges.filter(({ kind }) => MARKET.has(kind)).map(({ to }) => to));
  for (const { token, creator } of deployments) {
    pools.delete(token);
    pools.delete(creator);
  }
  for (const { from, to, kind } of edges) {
    if (!MONEY.has(kind)) {
      if (kind !== 'lpAdded') continue;
      pools.delete(from);
    } else {
      pools.delete(to);
      if (kind !== 'lpRemoved') pools.delete(from);
    }
  }
  return pools;
};

/** Who added liquidity to each pool. */
const providersOf = (edges: readonly EdgeRow[], pools: ReadonlySet<Hex>): Map<Hex, Set<Hex>> => {
  const providers = new Map<Hex, Set<Hex>>();
  for (const { kind, from, to } of edges) {
    if (kind !== 'lpAdded' || !pools.has(to)) continue;
    providers.set(to, (providers.get(to) ?? new Set<Hex>()).add(from));
  }
  return providers;
};

/**
 * Rows as facts: what a token or pool sends back to a trader is a sale; added liquidity is attributed to its
 * provider.
 */
const factsOf = (
  { kind: rowKind, from, to, value, tx }: EdgeRow,
  tokens: ReadonlySet<Hex>,
  providers: ReadonlyMap<Hex, ReadonlySet<Hex>>,
): DetectorFact[] => {
  if (rowKind === 'lpAdded' || rowKind === 'created') return [];
  const fact: DetectorFact = {
    kind: rowKind === 'lpRemoved' ? 'lpPaid' : rowKind,
    from,
    to,
    value,
    token: NO_TOKEN,
    txHash: tx ?? ZERO_HASH,
    codeHash: ZERO_HASH,
  };
  if (rowKind === 'bought' && tokens.has(from)) {
    return [{ ...fact, kind: 'sold', from: to, to: from }];
  }
  const owners = rowKind === 'lpRemoved' ? providers.get(from) : undefined;
  return owners ? [...owners].map((owner) => ({ ...fact, from: owner })) : [fact];
};

/** All rows as facts, by block in ascending order. */
export const arrangeFacts = (
  edges: readonly EdgeRow[],
  deployments: readonly DeploymentRow[],
  pools: ReadonlySet<Hex>,
): DetectorBlock[] => {
  const tokens = new Set(deployments.map(({ token }) => token));
  const providers = providersOf(edges, pools);
  const numbers = [...new Set([...edges, ...deployments].map(({ block }) => block))];
  numbers.sort((a, b) => a - b);
  const isTooLarge = (numbers[numbers.length - 1] ?? 0) > BLOCK_MAX;
  const blocks = new Map(numbers.map((number): [number, DetectorFact[]] => [number, []]));
  for (const row of edges) blocks.get(row.block)?.push(...factsOf(row, tokens, providers));
  for (const { token, creator, block } of deployments) {
    blocks
      .get(block)
      ?.push(createdFact({ token, creator, txHash: ZERO_HASH, codeHash: ZERO_HASH }));
  }
  return [...blocks].map(([block, facts], order) => {
    const number = isTooLarge ? order : block;
    return { number, hash: `0x${number.toString(16).padStart(64, '0')}`, facts };
  });
};
