import { address, count, fraction, percent, prediction, z } from '../server/schema.ts';

const statisticsFields = {
  size: count,
  tokens_created: count,
  scam_rate: fraction,
  total_stolen: z.number().openapi({ description: 'USD' }),
  victims: count,
};

/** A ring in a list. */
export const clusterEntrySchema = z
  .object({ id: z.string(), name: z.string(), risk_score: percent, ...statisticsFields })
  .openapi('ClusterListEntry');
export type ClusterEntry = z.infer<typeof clusterEntrySchema>;

/** A ring with its wallets, tokens and evidence. */
export const clusterDetailSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    wallets: z.array(
      z.object({ address, role: z.enum(['master', 'puppet']), risk_score: percent }),
    ),
    tokens: z.array(z.object({ address, name: z.string(), prediction, confidence: percent })),
    statistics: z.object(statisticsFields),
    evidence: z
      .array(
        z.object({
          rule: z.string(),
          wallets: z.array(address),
          tx_hash: z.string().nullable(),
          confidence: fraction,
        }),
      )
      .optional()
      .openapi({ description: 'why these wallets were joined' }),
  })
  .openapi('ClusterDetail');
export type ClusterBody = z.infer<typeof clusterDetailSchema>;
