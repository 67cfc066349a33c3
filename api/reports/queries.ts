import { z } from 'zod';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { type Reports, reportDocSchema } from './report.ts';

const docText = z.string().transform((text) => reportDocSchema.parse(JSON.parse(text)));
const reportRow = z.object({
  address_hex: addressSchema,
  generated_at_ms: countSchema,
  doc: docText,
});

/** Reports about one chain. */
export const createReports = (
  database: Pick<Clickhouse, 'query' | 'exec'>,
  chainId: number,
): Reports => ({
  find: async (family, id) => {
    const [row] = await database.query(
      `SELECT ${hexText('address')} AS address_hex,
         toUnixTimestamp64Milli(generated_at) AS generated_at_ms, doc
       FROM reports FINAL WHERE family = {family:String} AND id = {id:String}`,
      { family, id },
      reportRow,
    );
    return (
      row && { id, address: row.address_hex, generatedAtMs: row.generated_at_ms, doc: row.doc }
    );
  },
  save: (family, { id, address, generatedAtMs, doc }) =>
    database.exec(
      `INSERT INTO reports (family, id, chain_id, address, language, generated_at, doc)
       SELECT {family:String}, {id:String}, {chainId:UInt64}, unhex({address:String}),
         {language:String}, fromUnixTimestamp64Milli({generatedAtMs:Int64}, 'UTC'), {doc:String}`,
      {
        family,
        id,
        chainId,
        address: address.slice(2),
        language: doc.language,
        generatedAtMs,
        doc: JSON.stringify(doc),
      },
    ),
});
