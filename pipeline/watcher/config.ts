import { z } from 'zod';
import { fields, roleFields, wholeNumber } from '../../shared/platform/config.ts';

/** The environment of the watcher. Errors name the variable of every wrong value. */
export const watcherConfigSchema = z.object({
  ...roleFields,
  RPC_URL: fields.RPC_URL,
  /** First block of an empty stream. If absent: the head, or 0 on a development chain. */
  START_BLOCK: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
  /** Blocks below the head that are read in full, with native transfers and creations. */
  BACKFILL_FULL_BLOCKS: wholeNumber(0, 1_000_000).default('256'),
  /** `logs`: one query for many blocks. `full`: every block with its receipts. */
  BACKFILL_DETAIL: z.enum(['logs', 'full']).default('logs'),
  /**
   * Depth that counts as final if the node has no `finalized` block. If absent: that of the chain's profile.
   */
  FINALITY_DEPTH: wholeNumber(1, 100_000).optional(),
  /** Milliseconds between polls of the head. If absent: from the chain's block time. */
  POLL_INTERVAL_MS: wholeNumber(5, 60_000).optional(),
});
export type WatcherConfig = z.infer<typeof watcherConfigSchema>;
