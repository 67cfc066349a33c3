import { RISK_LEVELS } from '../../shared/rules/riskLevel.ts';
import { SCAM_OUTCOMES } from '../../shared/rules/scamOutcome.ts';
import { WALLET_ROLES } from '../../shared/rules/walletRoles.ts';
import { edgeType } from '../graph/schema.ts';
import { address, count, fraction, isoDateTime, percent, prediction, z } from '../server/schema.ts';

export const riskLevel = z.enum(RISK_LEVELS);

const walletFields = {
  address,
  risk_score: percent,
  role: z.string().openapi({ description: WALLET_ROLES.join(' | ') }),
  tokens_created: count,
  scam_rate: fraction.openapi({ description: 'share of the tokens created judged SCAM' }),
  total_value_stolen: z.number().openapi({ description: 'USD; 0 where nothing is known' }),
  victims: count,
  first_seen: isoDateTime,
  last_activity: isoDateTime,
  cluster_id: z.string().nullable().openapi({ description: 'null when in no cluster' }),
  is_known_scammer: z.boolean().openapi({
    description: 'two scams or more, and at least half of the tokens created',
  }),
};

/** A wallet, style A. */
export const walletSchema = z.object(walletFields).openapi('WalletA');
export type WalletEntry = z.infer<typeof walletSchema>;

/** A token in its creator's list, style A. */
export const walletTokenSchema = z
  .object({
    address,
    name: z.string(),
    symbol: z.string(),
    prediction,
    confidence: percent,
    created_at: isoDateTime,
  })
  .openapi('WalletTokenA');

const factorSchema = z.object({
  id: z.string(),
  value: z.union([z.number(), z.boolean(), z.string(), z.null()]),
  contribution: z.number().openapi({ description: 'signed points' }),
  text: z.string(),
});

const reputationFields = {
  address,
  reputation_score: percent.openapi({ description: '0 worst .. 100 best' }),
  level: z.enum(['TRUSTED', 'NEUTRAL', 'SUSPICIOUS', 'MALICIOUS']),
  risk_score: percent,
  risk_level: riskLevel,
  confidence: fraction,
  is_known_scammer: z.boolean(),
  labels: z.array(z.string()),
  factors: z.array(factorSchema),
  first_seen: isoDateTime,
  last_activity: isoDateTime,
  updated_at: isoDateTime,
};

const reputationStepSchema = z.object({
  at: isoDateTime,
  block_number: count,
  score: percent,
  delta: z.number().int(),
  event: z.string().openapi({
    description:
      'token_created | token_flagged | liquidity_removed | funded_by_scammer | cluster_joined | cleared | decay',
  }),
  token: address.nullable(),
  tx_hash: z.string().nullable(),
});

/** A wallet's reputation, its reasons and its history. */
export const walletReputationSchema = z
  .object({ ...reputationFields, history: z.array(reputationStepSchema) })
  .openapi('WalletReputation');
export type WalletReputation = z.infer<typeof walletReputationSchema>;

const scamSchema = z.object({
  token: z.object({ address, name: z.string(), symbol: z.string() }),
  role: z.string(),
  outcome: z.enum(SCAM_OUTCOMES),
  at: isoDateTime,
  value_stolen_usd: z.number(),
  victims: count,
  tx_hash: z.string(),
});

const connectionSchema = z.object({
  address,
  relation: edgeType,
  direction: z.enum(['in', 'out', 'both']),
  weight: fraction,
  risk_score: percent,
  tx_count: count,
  first_at: isoDateTime,
  last_at: isoDateTime,
});

/** A wallet with reputation, scams and connections, style B. */
export const walletBSchema = z
  .object({
    ...walletFields,
    risk_level: riskLevel,
    reputation: z.object(reputationFields),
    scam_history: z.array(scamSchema).openapi({ description: 'newest 50' }),
    connections: z.array(connectionSchema).openapi({
      description: 'top 25 by weight; use /api/graph/wallet for more',
    }),
  })
  .openapi('WalletB');
export type WalletB = z.infer<typeof walletBSchema>;

/** A wallet with its behaviour, style B. */
export const walletAnalysisSchema = z
  .object({
    ...walletFields,
    risk_level: riskLevel,
    analysis: z.object({
      funding_source: z
        .object({
          address,
          kind: z.enum(['wallet', 'contract', 'unknown']),
          tx_hash: z.string(),
        })
        .nullable(),
      behaviours: z.array(z.object({ id: z.string(), text: z.string(), count })),
      factors: z.array(factorSchema),
      median_token_lifetime_hours: z.number().nullable(),
      counterparties: count,
    }),
  })
  .openapi('WalletAnalysisB');
export type WalletAnalysis = z.infer<typeof walletAnalysisSchema>;
