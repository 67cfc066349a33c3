import { isoTime } from '../../shared/rules/isoTime.ts';
import { address, fraction, isoDateTime, prediction, z } from '../server/schema.ts';
import { language, provenanceSchema, riskScoreB } from '../tokens/schema.ts';
import { riskLevel } from '../wallets/schema.ts';
import { reportMarkdown, sectionMarkdown } from './renderReport.ts';
import { SECTIONS, type StoredReport, SUBJECTS } from './report.ts';

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
    // `nullable` on a named schema would still document an object only.
    provenance: z.union([provenanceSchema, z.null()]).openapi({ description: 'null for a wallet' }),
    generated_at: isoDateTime,
    urls: z.object({ self: z.string(), html: z.string(), pdf: z.string().nullable() }),
  })
  .openapi('Report');
type Report = z.infer<typeof reportSchema>;

/** A report as clients see it. */
export const presentReport = ({ id, address, generatedAtMs, doc }: StoredReport): Report => {
  const self = `/api/reports/${id}`;
  return {
    report_id: id,
    address,
    subject: doc.subject,
    language: doc.language,
    title: doc.title,
    verdict: doc.verdict,
    summary: doc.summary,
    sections: doc.sections.map(({ id: section, title, lines }) => ({
      id: section,
      title,
      markdown: sectionMarkdown(lines),
    })),
    markdown: reportMarkdown(doc),
    provenance: doc.provenance,
    generated_at: isoTime(generatedAtMs),
    urls: { self, html: `${self}?format=html`, pdf: null },
  };
};
