import { z } from 'zod';
import type { Clickhouse } from '../../shared/adapters/clickhouse.ts';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import { FEEDBACK_KINDS, FEEDBACK_STATES, type FeedbackItem } from '../feedback/feedback.ts';
import type { Database } from './verdict.ts';

/** Writes a disputed verdict. */
export const saveFeedback = (
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
export const findFeedback = async (
  database: Database,
  family: string,
  id: string,
): Promise<FeedbackItem | undefined> => {
  const [row] = await database.query(
    `SELECT concat('0x', lower(hex(address))) AS address_hex, toString(kind) AS kind_name,
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
