import { z } from 'zod';
import { addressSchema, countSchema } from '../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import { type Reports, reportDocSchema } from './report.ts';

const docText = z.string().transform((text) => reportDocSchema.parse(JSON.parse(text)));
const reportRow = z.object({
  address: addressSchema,
  generatedAtMs: countSchema,
  doc: docText,
});

/** Reports about one chain. */
export const createReports = (
  database: Pick<Clickhouse, 'query' | 'exec'>,
  chainId: number,
): Reports => ({
  find: async (family, id) => {
    const [row] = await database.query(
      `SELECT ${hexText('r.address')} AS address, toUnixTimestamp64Milli(r.generated_at) AS generatedAtMs, r.doc AS doc
       FROM reports AS r FINAL WHERE r.family = {family:String} AND r.id = {id:String}`,
      { family, id },
      reportRow,
    );
    return row && { id, ...row };
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
