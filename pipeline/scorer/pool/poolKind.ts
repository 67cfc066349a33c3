import { z } from 'zod';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';

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

/** What a manager finds a pool of Uniswap V4 by, beside its two sides; of a curve that is its token, and no fee is logged. Virtuals: who made the pair. */
export const managedEntrySchema = z.object({
  manager: addressSchema,
  /** Hundredths of a basis point, or `HOOK_SETS_FEE`. */
  fee: z.number(),
  tickSpacing: z.number(),
  /** The contract that is called before and after trades; zero where there is none. */
  hooks: addressSchema,
  /** Whether the base is the native currency and not its wrapped token. */
  isNative: z.boolean(),
});
export type ManagedEntry = z.infer<typeof managedEntrySchema>;

/** A pool's contract, or the id of an entry of a manager. */
interface PoolPlace {
  readonly kind?: PoolKind;
  readonly pool: Hex;
  readonly entry?: ManagedEntry | undefined;
}

/** Who holds the tokens of a pool. */
export const poolHolder = ({ kind, pool, entry }: PoolPlace): Hex =>
  kind === 'bonding' ? pool : (entry?.manager ?? pool);

/** The hook of a pool; undefined where it has none. */
export const hookOf = (entry: ManagedEntry | undefined): Hex | undefined =>
  entry && entry.hooks !== ZERO_ADDRESS ? entry.hooks : undefined;
