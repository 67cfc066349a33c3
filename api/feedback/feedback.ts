import { ulid } from 'ulid';
import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import type { Clickhouse, Database } from '../../shared/platform/clickhouse.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { hexText } from '../../shared/rules/hexText.ts';

export const FEEDBACK_KINDS = ['false_positive', 'false_negative'] as const;
type FeedbackKind = (typeof FEEDBACK_KINDS)[number];
export const FEEDBACK_STATES = ['open', 'accepted', 'rejected'] as const;

/** A disputed verdict. */
export interface FeedbackItem {
  readonly id: string;
  readonly family: string;
  readonly address: Hex;
  readonly kind: FeedbackKind;
  readonly status: (typeof FEEDBACK_STATES)[number];
  readonly details: string;
  /** E-mail address to answer to; never shown again. */
  readonly contact: string;
  readonly resolution: string | null;
  readonly createdAtMs: number;
  readonly resolvedAtMs: number | null;
}

/** Disputed verdicts of key families. */
export interface Feedback {
  add(
    item: Pick<FeedbackItem, 'family' | 'address' | 'kind' | 'details' | 'contact'>,
  ): Promise<FeedbackItem>;
  find(family: string, id: string): Promise<FeedbackItem | undefined>;
}

/** Writes a disputed verdict. */
const saveFeedback = (
  database: Pick<Clickhouse, 'exec'>,
  chainId: number,
  item: FeedbackItem,
): Promise<void> =>
  database.exec(
    `INSERT INTO feedback (family, id, chain_id, address, kind, status, details, contact,
       resolution, created_at, resolved_at, version)
     SELECT {family:String}, {id:String}, {chainId:UInt64}, unhex({address:String}), {kind:String},
       {status:String}, {details:String}, {contact:String}, {resolution:Nullable(String)},
       fromUnixTimestamp64Milli({createdAtMs:Int64}, 'UTC'), NULL, {createdAtMs:UInt64}`,
    { ...item, chainId, address: item.address.slice(2) },
  );

const feedbackRow = z.object({
  address_hex: addressSchema,
  kind_name: z.enum(FEEDBACK_KINDS),
  status_name: z.enum(FEEDBACK_STATES),
  details: z.string(),
  resolution: z.string().nullable(),
  created_at_ms: countSchema,
  resolved_at_ms: countSchema.nullable(),
});

/** A disputed verdict of the family. */
const findFeedback = async (
  database: Database,
  family: string,
  id: string,
): Promise<FeedbackItem | undefined> => {
  const [row] = await database.query(
    `SELECT ${hexText('address')} AS address_hex, toString(kind) AS kind_name,
       toString(status) AS status_name, details, resolution,
       toUnixTimestamp64Milli(created_at) AS created_at_ms,
       toUnixTimestamp64Milli(resolved_at) AS resolved_at_ms
     FROM feedback FINAL WHERE family = {family:String} AND id = {id:String}`,
    { family, id },
    feedbackRow,
  );
  return (
    row && {
      id,
      family,
      address: row.address_hex,
      kind: row.kind_name,
      status: row.status_name,
      details: row.details,
      contact: '',
      resolution: row.resolution,
      createdAtMs: row.created_at_ms,
      resolvedAtMs: row.resolved_at_ms,
    }
  );
};

/** Disputed verdicts of one chain. */
export const createFeedback = (args: {
  database: Pick<Clickhouse, 'query' | 'exec'>;
  chainId: number;
  clock: Clock;
}): Feedback => {
  const { database, chainId, clock } = args;
  return {
    add: async (given) => {
      const createdAtMs = clock.now();
      const item = {
        ...given,
        id: `fb_${ulid(createdAtMs)}`,
        status: 'open',
        resolution: null,
        createdAtMs,
        resolvedAtMs: null,
      } as const;
      await saveFeedback(database, chainId, item);
      return item;
    },
    find: (family, id) => findFeedback(database, family, id),
  };
};
