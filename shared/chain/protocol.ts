/**
 * How a pool is traded on: by two reserves (Uniswap V2 and forks, whatever their fee), by reserves of which the pool says what they give
 * (Solidly), by liquidity between ticks (Uniswap V3 and forks), by an entry of a manager that keeps such liquidity (Uniswap V4),
 * by a curve that a manager keeps (four.meme), or by a curve that is a pair of its own, through the contract that made it (Virtuals).
 */
export const POOL_KINDS = [
  'reserves',
  'solidly',
  'concentrated',
  'managed',
  'curve',
  'bonding',
] as const;
export type PoolKind = (typeof POOL_KINDS)[number];

interface ProtocolTraits {
  /** Absent where trades do not follow from what is logged. */
  readonly kind?: PoolKind;
  /** Its markets are entries of one contract, which holds what is in them and logs their events; all others do so themselves. */
  readonly hasManager?: true;
  /** Such entries that are named by 32 bytes; all other markets are named by an address. */
  readonly isNamedByHash?: true;
}

/** How markets of each protocol work, and whose events they log: all else about it follows. New ones come last, as in the columns of ClickHouse. */
const TRAITS = {
  uniswap_v2: { kind: 'reserves' },
  uniswap_v3: { kind: 'concentrated' },
  pancake_v3: { kind: 'concentrated' },
  uniswap_v4: { kind: 'managed', hasManager: true, isNamedByHash: true },
  solidly: { kind: 'solidly' },
  slipstream: { kind: 'concentrated' },
  balancer_v2: { hasManager: true, isNamedByHash: true },
  four_meme: { kind: 'curve', hasManager: true },
  virtuals: { kind: 'bonding' },
} as const satisfies Readonly<Record<string, ProtocolTraits>>;
export type Protocol = keyof typeof TRAITS;

export const PROTOCOLS = Object.keys(TRAITS) as [Protocol, ...Protocol[]];
const traitsOf = (protocol: Protocol): ProtocolTraits => TRAITS[protocol];

/** How markets of a protocol are traded on; undefined where that does not follow from what is logged. */
export const poolKindOf = (protocol: Protocol): PoolKind | undefined => traitsOf(protocol).kind;

/** The protocols of some kinds. */
export const protocolsOf = (...kinds: readonly PoolKind[]): readonly Protocol[] =>
  PROTOCOLS.filter((protocol) => kinds.some((kind) => poolKindOf(protocol) === kind));

const having = (trait: 'hasManager' | 'isNamedByHash'): ReadonlySet<Protocol> =>
  new Set(PROTOCOLS.filter((protocol) => traitsOf(protocol)[trait]));
/** Markets that are an entry of one contract, which holds what is in them. */
export const HAVE_MANAGER = having('hasManager');
/** Those among them that are named by 32 bytes; all other markets are named by an address. */
export const NAMED_BY_HASH = having('isNamedByHash');

/** Protocols as the right side of `IN` in SQL. */
export const sqlProtocols = (protocols: Iterable<Protocol>): string =>
  `(${[...protocols].map((protocol) => `'${protocol}'`).join(', ')})`;
