import { SECTIONS, SUBJECTS } from '../reports/report.ts';
import { address, fraction, isoTime, prediction } from './fields.ts';
import { provenanceSchema } from './token.ts';
import { language, riskScoreB } from './tokenB.ts';
import { riskLevel } from './wallet.ts';
import { z } from './zod.ts';

const RECOMMENDATIONS = [
  'SELL_IMMEDIATELY',
  'REDUCE_EXPOSURE',
  'AVOID',
  'MONITOR',
  'NO_ACTION',
] as const;

/** A written report. */
export const reportSchema = z
  .object({
    report_id: z.string(),
    address,
    subject: z.enum(SUBJECTS),
    language,
    title: z.string(),
    verdict: z.object({
      is_rug: z.boolean().nullable().openapi({ description: 'null for a wallet' }),
      prediction,
      confidence: fraction,
      risk_score: riskScoreB,
      risk_level: riskLevel,
      recommendation: z.enum(RECOMMENDATIONS),
    }),
    summary: z.string(),
    sections: z.array(z.object({ id: z.enum(SECTIONS), title: z.string(), markdown: z.string() })),
    markdown: z.string().openapi({ description: 'the whole report' }),
    provenance: provenanceSchema.nullable().openapi({ description: 'null for a wallet' }),
    generated_at: isoTime,
    urls: z.object({ self: z.string(), html: z.string(), pdf: z.string().nullable() }),
  })
  .openapi('Report');
export type Report = z.infer<typeof reportSchema>;
