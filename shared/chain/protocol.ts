/**
 * How a pool is traded: by two reserves (Uniswap V2 and forks, whatever their fee), by reserves with a quote from the
 * pool (Solidly), by liquidity between ticks (Uniswap V3 and forks), by an entry in a manager of such liquidity
 * (Uniswap V4), by a curve in a manager (four.meme), or by a curve with a pair of its own, through the contract that
 * created it (Virtuals).
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
  /** Absent if trades cannot be computed from the logs. */
  readonly kind?: PoolKind;
  /**
   * Its markets are entries of one contract, which holds their assets and logs their events; all other markets do so
   * themselves.
   */
  readonly hasManager?: true;
  /** Such entries that are identified by 32 bytes; all other markets are identified by an address. */
  readonly isNamedByHash?: true;
}

/**
 * How markets of each protocol work, and whose events they log; everything else about a protocol is derived from
 * this. New ones are appended, as in the ClickHouse columns.
 */
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

/** How markets of a protocol are traded; undefined if that does not follow from the logs. */
export const poolKindOf = (protocol: Protocol): PoolKind | undefined => traitsOf(protocol).kind;

/** The protocols of some kinds. */
export const protocolsOf = (...kinds: readonly PoolKind[]): readonly Protocol[] =>
  PROTOCOLS.filter((protocol) => kinds.some((kind) => poolKindOf(protocol) === kind));

const having = (trait: 'hasManager' | 'isNamedByHash'): ReadonlySet<Protocol> =>
  new Set(PROTOCOLS.filter((protocol) => traitsOf(protocol)[trait]));
/** Markets that are entries of one contract, which holds their assets. */
export const HAVE_MANAGER = having('hasManager');
/** Those of them that are identified by 32 bytes; all other markets are identified by an address. */
export const NAMED_BY_HASH = having('isNamedByHash');

/** Protocols as the right side of `IN` in SQL. */
export const sqlProtocols = (protocols: Iterable<Protocol>): string =>
  `(${[...protocols].map((protocol) => `'${protocol}'`).join(', ')})`;
