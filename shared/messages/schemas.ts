import { z } from 'zod';
import type { Hex } from '../chain/block.ts';

/** A lower-case address. */
export const addressSchema = z.custom<Hex>(
  (value) => typeof value === 'string' && /^0x[0-9a-f]{40}$/.test(value),
  'must be a lower-case address',
);

/** A lower-case 32-byte hash. */
export const hashSchema = z.custom<Hex>(
  (value) => typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value),
  'must be a lower-case 32-byte hash',
);

/** A count, height or index that JSON represents exactly. */
export const countSchema = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
