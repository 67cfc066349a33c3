import { z } from 'zod';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { PoolKind } from '../../../shared/chain/protocol.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';

/**
 * What identifies a Uniswap V4 pool in its manager, besides its two sides; for a curve it is its token, and no fee is
 * logged. Virtuals: the creator of the pair.
 */
export const managedEntrySchema = z.object({
  manager: addressSchema,
  /** Hundredths of a basis point, or `HOOK_SETS_FEE`. */
  fee: z.number(),
  tickSpacing: z.number(),
  /** The hook contract, called before and after trades; zero if there is none. */
  hooks: addressSchema,
  /** Whether the base is the native currency instead of its wrapped token. */
  isNative: z.boolean(),
});
export type ManagedEntry = z.infer<typeof managedEntrySchema>;

/** A pool's contract, or its id in a manager. */
interface PoolPlace {
  readonly kind?: PoolKind;
  readonly pool: Hex;
  readonly entry?: ManagedEntry | undefined;
}

/** Who holds the tokens of a pool. */
export const poolHolder = ({ kind, pool, entry }: PoolPlace): Hex =>
  kind === 'bonding' ? pool : (entry?.manager ?? pool);

/** The hook of a pool; undefined if there is none. */
export const hookOf = (entry: ManagedEntry | undefined): Hex | undefined =>
  entry && entry.hooks !== ZERO_ADDRESS ? entry.hooks : undefined;
