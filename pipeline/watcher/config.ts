import { z } from 'zod';
import { fields, roleFields, wholeNumber } from '../../shared/platform/config.ts';

/** The environment of the watcher. Every wrong value is named by its variable. */
export const watcherConfigSchema = z.object({
  ...roleFields,
  RPC_URL: fields.RPC_URL,
  /** First block of an empty stream. Absent: the head, or 0 on a development chain. */
  START_BLOCK: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
  /** Blocks below the head that are read in full, with native transfers and creations. */
  BACKFILL_FULL_BLOCKS: wholeNumber(0, 1_000_000).default('256'),
  /** `logs`: one query for many blocks. `full`: every block with its receipts. */
  BACKFILL_DETAIL: z.enum(['logs', 'full']).default('logs'),
  /** Depth that counts as final where the node has no `finalized` block. Absent: of the chain's profile. */
  FINALITY_DEPTH: wholeNumber(1, 100_000).optional(),
  /** Milliseconds between looks at the head. Absent: from the chain's block time. */
  POLL_INTERVAL_MS: wholeNumber(5, 60_000).optional(),
});
export type WatcherConfig = z.infer<typeof watcherConfigSchema>;
