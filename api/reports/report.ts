import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { RISK_LEVELS } from '../../shared/rules/riskLevel.ts';
import { LANGUAGES } from '../../shared/sentences/language.ts';
import { provenanceSchema } from '../tokens/schema.ts';

export const SECTIONS = [
  'verdict',
  'evidence',
  'contract',
  'liquidity',
  'holders',
  'creator',
  'network',
  'timeline',
  'limitations',
  'method',
] as const;
export type SectionId = (typeof SECTIONS)[number];
export const SUBJECTS = ['token', 'wallet'] as const;

/** A report as stored: plain text in one language, from which every format is rendered. */
export const reportDocSchema = z.object({
  v: z.literal(1),
  subject: z.enum(SUBJECTS),
  language: z.enum(LANGUAGES),
  title: z.string(),
  verdict: z.object({
    is_rug: z.boolean().nullable(),
    prediction: z.enum(['SCAM', 'LEGIT']),
    confidence: z.number(),
    risk_score: z.number(),
    risk_level: z.enum(RISK_LEVELS),
    recommendation: z.enum(['AVOID', 'MONITOR', 'NO_ACTION']),
  }),
  summary: z.string(),
  sections: z.array(
    z.object({ id: z.enum(SECTIONS), title: z.string(), lines: z.array(z.string()) }),
  ),
  provenance: provenanceSchema.nullable(),
});
export type ReportDoc = z.infer<typeof reportDocSchema>;

/** A report of a key family. */
export interface StoredReport {
  readonly id: string;
  readonly address: Hex;
  readonly generatedAtMs: number;
  readonly doc: ReportDoc;
}

/** Reports of key families. */
export interface Reports {
  find(family: string, id: string): Promise<StoredReport | undefined>;
  save(family: string, report: StoredReport): Promise<void>;
}
