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
  address: addressSchema,
  kind: z.enum(FEEDBACK_KINDS),
  status: z.enum(FEEDBACK_STATES),
  details: z.string(),
  resolution: z.string().nullable(),
  createdAtMs: countSchema,
  resolvedAtMs: countSchema.nullable(),
});

/** A disputed verdict of the family. */
const findFeedback = async (
  database: Database,
  family: string,
  id: string,
): Promise<FeedbackItem | undefined> => {
  const [row] = await database.query(
    `SELECT ${hexText('f.address')} AS address, toString(f.kind) AS kind, toString(f.status) AS status,
       f.details AS details, f.resolution AS resolution, toUnixTimestamp64Milli(f.created_at) AS createdAtMs,
       toUnixTimestamp64Milli(f.resolved_at) AS resolvedAtMs
     FROM feedback AS f FINAL WHERE f.family = {family:String} AND f.id = {id:String}`,
    { family, id },
    feedbackRow,
  );
  return row && { ...row, id, family, contact: '' };
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
