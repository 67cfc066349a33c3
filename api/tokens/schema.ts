import { PROTOCOLS } from '../../shared/chain/protocol.ts';
import { checkSchema } from '../../shared/messages/verdictDoc.ts';
import { ADVICE, CERTAINTIES } from '../../shared/rules/advice.ts';
import { LANGUAGES } from '../../shared/sentences/language.ts';
import { address, count, fraction, isoDateTime, percent, prediction, z } from '../server/schema.ts';
import { riskLevel } from '../wallets/schema.ts';

/** What the prediction means for a user, in both styles. */
const adviceFields = {
  certainty: z.enum(CERTAINTIES).openapi({
    description: 'clear from a confidence of 70 % on; below it nothing should be called safe',
  }),
  advice: z.enum(ADVICE).openapi({
    description:
      'avoid: a scam; wait: not clear yet; no_finding: nothing speaks against it, which is no guarantee',
  }),
};

/** A check that supports an advice. */
const reasonSchema = z
  .object({
    check: z.string().openapi({ description: 'id of the check' }),
    text: z.string().openapi({ description: 'a sentence in the language asked for' }),
  })
  .openapi('Reason');
export type Reason = z.infer<typeof reasonSchema>;

const listFields = {
  address,
  name: z.string(),
  symbol: z.string(),
  prediction,
  confidence: percent.openapi({ description: 'confidence in `prediction`, 0-100' }),
  risk_score: percent,
  ...adviceFields,
  model: z.string(),
  created_at: isoDateTime,
  analyzed_at: isoDateTime,
};

/** A token in a list, style A. */
export const tokenListEntrySchema = z.object(listFields).openapi('TokenListEntryA');

const depth = (sold: string) =>
  z
    .number()
    .optional()
    .openapi({ description: `US dollars that a sale of ${sold} takes out of the main market` });
const depthFields = {
  depth_1pct_usd: depth('1 % of the tokens in other hands'),
  depth_5pct_usd: depth('5 % of the tokens in other hands'),
  depth_100pct_usd: depth('all tokens in other hands'),
};

const featuresSchema = z
  .object({
    holder_count: z.number().openapi({ description: 'addresses with a positive balance' }),
    transaction_count: z.number().openapi({ description: 'transactions that moved the token' }),
    liquidity_usd: z.number().openapi({
      description:
        'liquidity of all its pools, US dollars: both sides of reserves (Uniswap V2), of concentrated liquidity (Uniswap V3 and forks) twice what a sale of all tokens takes out',
    }),
    top_10_concentration: fraction.openapi({
      description: 'share held by the ten largest holders, pools left out',
    }),
    creator_risk_score: z
      .number()
      .openapi({ description: 'risk from what the creator made before, 0 to 100' }),
  })
  .extend({
    price_native: z.number().optional().openapi({ description: 'native coins for one token' }),
    price_usd: z.number().optional().openapi({ description: 'US dollars for one token' }),
    ...depthFields,
  })
  .catchall(z.number())
  .openapi('TokenFeatures');

const hop = z.object({
  protocol: z.enum(PROTOCOLS),
  market: z.string().openapi({ description: 'contract, or id in its manager (32 bytes)' }),
  from: address,
  to: address,
  depth_usd: z.number().openapi({ description: 'US dollars that a sale of everything takes out' }),
});

/** Where a token's price comes from. */
const tokenMarketSchema = z
  .object({
    protocol: hop.shape.protocol,
    market: hop.shape.market,
    quote: address.openapi({ description: 'what the token is traded against' }),
    route: z.array(hop).openapi({
      description:
        'the markets from the token to US dollars; each beyond the first counts only with a depth of 10,000 dollars, and ends at a stable token, or at the native coin where its price is configured',
    }),
  })
  .openapi('TokenMarket', { description: 'the market that most can be taken out of' });

/** The inputs from which a verdict can be recomputed. */
export const provenanceSchema = z
  .object({
    chain_id: count,
    block_number: count,
    block_hash: z.string(),
    bytecode_hash: z.string(),
    model: z.string(),
    model_sha256: z.string(),
    features_sha256: z.string().openapi({
      description: 'hash of the exact feature vector; recompute it from the node at block_number',
    }),
    coverage: fraction.openapi({ description: 'share of features observed, not imputed' }),
    as_of_s: count.optional().openapi({
      description: 'the time whose facts the verdict rests on, Unix seconds',
    }),
    trigger: z.string().optional().openapi({
      description:
        'what made the verdict due: birth, event, request, or horizon:10min|1h|6h|24h, an age of the main pool',
    }),
  })
  .openapi('Provenance');

/** A lock of a token's supply or liquidity, real or claimed. */
export const tokenLockSchema = z
  .object({
    kind: z.enum(['liquidity', 'position', 'supply']).openapi({
      description:
        'liquidity: tokens of a pool; position: a position (NFT) in a pool with concentrated liquidity; supply: the token itself',
    }),
    locker: address.openapi({ description: 'the contract that says so' }),
    lock_id: z.string().openapi({ description: 'the number it gave the lock, decimal' }),
    asset: address.openapi({
      description: 'the token that is locked, or the manager of positions',
    }),
    position: z.string().nullable().openapi({ description: 'id of the position, decimal' }),
    market: address.nullable().openapi({ description: 'the pool whose liquidity it is' }),
    owner: address.openapi({ description: 'who may take it out' }),
    amount: z.string().openapi({
      description:
        'what the locker has for it, smallest units, of a position its liquidity, decimal',
    }),
    share: fraction.openapi({ description: 'of the liquidity or the supply' }),
    locked_at: isoDateTime,
    locked_tx: z.string(),
    unlock_at: isoDateTime.openapi({
      description:
        'ISO 8601 UTC; what is locked for longer than dates reach ends with the year 9999',
    }),
    extended: count.openapi({ description: 'how often it was made longer' }),
    withdrawn: z.string().openapi({ description: 'what was taken out, decimal' }),
    state: z.enum(['locked', 'unlocked', 'withdrawn']).openapi({
      description: 'unlocked: its time is over and it was not taken out',
    }),
    belief: z.enum(['code', 'behaviour', 'fake', 'unknown']).openapi({
      description:
        'code: the code of the locker is known; behaviour: in simulations its owner can take it out after the time and no one before; fake: somebody can, or the locker has nothing of it; unknown: not tried, or its time is over',
    }),
  })
  .openapi('TokenLock');
export type TokenLock = z.infer<typeof tokenLockSchema>;

/** The locks of a token, and their totals. */
export const tokenLocksSchema = z
  .object({
    address,
    lp_locked_share: fraction.nullable().openapi({
      description:
        "share of the main market's liquidity in locks that are believed; null: no lock, or not known",
    }),
    lp_unlock_at: isoDateTime.nullable().openapi({
      description: 'when the first of these locks ends',
    }),
    supply_locked_share: fraction.nullable().openapi({
      description: 'share of the supply in locks that are believed; null: no lock, or not known',
    }),
    locks: z.array(tokenLockSchema),
  })
  .openapi('TokenLocks');
export type TokenLocks = z.infer<typeof tokenLocksSchema>;

const taxShare = fraction.openapi({ description: 'share that does not arrive of what is sold' });

/** What independent wallets that bought a token experienced. */
const holdersExperienceSchema = z
  .object({
    buyers: count.openapi({
      description: 'wallets that bought, of the latest thousand trades',
    }),
    sellers: count.openapi({ description: 'those of them that sold' }),
    buyers_since_sale: count.openapi({
      description: 'wallets that bought since one of them sold last',
    }),
    failed_sellers: count.optional().openapi({
      description: 'wallets whose sale failed and that have not sold since',
    }),
    last_sale_at: isoDateTime.nullable(),
    sales: z.array(z.string()).openapi({ description: 'transactions of the latest sales' }),
    trials: z
      .object({
        block_number: count.openapi({ description: 'block whose state the sales were tried on' }),
        tried: count.openapi({ description: 'holders whose sale was simulated' }),
        sold: z
          .array(address)
          .openapi({ description: 'holders that can sell, at once or up to a day later' }),
        refused: z.array(address).openapi({ description: 'holders that cannot' }),
        tax: z
          .object({ lowest: taxShare, mean: taxShare, highest: taxShare })
          .nullable()
          .openapi({ description: 'null: none of them can sell at once' }),
      })
      .nullable()
      .openapi({
        description:
          'simulated sales as up to twenty of those who hold, with their own balances; null: not tried',
      }),
  })
  .openapi('HoldersExperience');
export type HoldersExperience = z.infer<typeof holdersExperienceSchema>;

/** A framework that a token's code uses or resembles. */
const tokenFrameworkSchema = z
  .object({
    name: z.string().openapi({ description: 'the framework, with the releases meant' }),
    marks: count.openapi({ description: 'marks of it that the code bears' }),
    of: count.openapi({ description: 'marks of it that are known' }),
    implementation: address.optional().openapi({
      description: 'the contract whose code the token runs, where it is a proxy',
    }),
  })
  .openapi('TokenFramework');

/** A token with all data of its verdict, style A. */
export const tokenDetailSchema = z
  .object({
    ...listFields,
    features: featuresSchema,
    shap_values: z.record(z.number()).openapi({
      description: 'feature to signed contribution; base_value + their sum = margin of the model',
    }),
    creator: z.object({
      address,
      risk_score: percent,
      tokens_created: count,
      scam_rate: fraction,
    }),
    base_value: z.number().optional(),
    reasons: z.array(reasonSchema).openapi({
      description: 'up to three checks that the advice rests on, the weightiest first',
    }),
    checks: z.array(checkSchema.openapi('Check')).optional(),
    holders: holdersExperienceSchema.optional(),
    locks: z.array(tokenLockSchema).optional().openapi({
      description: 'what is locked of the token and its liquidity, or said to be',
    }),
    frameworks: z.array(tokenFrameworkSchema).optional().openapi({
      description:
        'published frameworks whose marks the code bears; anyone can copy them, so they weigh nothing in the verdict; absent: the code was not read',
    }),
    provenance: provenanceSchema.optional(),
    market: tokenMarketSchema.optional(),
    cluster_id: z.string().nullable().optional(),
  })
  .openapi('TokenDetailA');
export type TokenListEntry = z.infer<typeof tokenListEntrySchema>;
export type TokenDetail = z.infer<typeof tokenDetailSchema>;

/** An analysis and its progress. */
export const analysisJobSchema = z
  .object({
    address,
    status: z.enum(['analyzing', 'completed', 'failed']),
    estimated_time: z.number().int().min(0).openapi({ description: 'seconds, whole' }),
    job_id: z.string().openapi({ description: 'job_ + ULID' }),
    token: tokenDetailSchema.optional().openapi({ description: 'only when completed' }),
    error: z.string().optional().openapi({
      description:
        'only when failed: not_a_contract | not_a_token | node_unavailable | timeout | internal, then ": detail"',
    }),
  })
  .openapi('AnalysisJob');
export type AnalysisJob = z.infer<typeof analysisJobSchema>;

export const language = z.enum(LANGUAGES);

/** Decimals in style B: two. */
export const riskScoreB = z.number().min(0).max(100).openapi({ description: 'two decimals' });
const confidenceB = fraction.openapi({ description: 'in `is_rug`, 0.0-1.0; two decimals' });
const isRug = z.boolean().openapi({ description: 'true: flagged as a scam' });

/** A token in a list, style B. */
export const tokenListEntryBSchema = z
  .object({
    address,
    symbol: z.string(),
    is_rug: isRug,
    confidence: confidenceB,
    name: z.string().optional(),
    risk_score: riskScoreB.optional(),
    risk_level: riskLevel.optional(),
    ...adviceFields,
    created_at: isoDateTime.optional(),
  })
  .openapi('TokenListEntryB');
export type TokenListEntryB = z.infer<typeof tokenListEntryBSchema>;

const tokenBFields = {
  address,
  name: z.string(),
  symbol: z.string(),
  is_rug: isRug,
  confidence: confidenceB,
  risk_score: riskScoreB,
  risk_level: riskLevel,
  ...adviceFields,
};

/** A token, style B. */
export const tokenBSchema = z.object(tokenBFields).openapi('TokenB');
export type TokenB = z.infer<typeof tokenBSchema>;

const contributionSchema = z
  .object({
    feature: z.string(),
    value: z.union([z.number(), z.string(), z.null()]),
    contribution: z.number().openapi({ description: 'signed; positive pushes to SCAM' }),
    text: z.string().openapi({ description: 'a sentence in the language asked for' }),
  })
  .openapi('Contribution');
export type Contribution = z.infer<typeof contributionSchema>;

const jobStatus = z.enum(['analyzing', 'completed', 'failed']);

/** The response to a prediction: the verdict fields once it is completed. */
export const predictResultSchema = tokenBSchema
  .partial()
  .required({ address: true })
  .extend({
    status: jobStatus.openapi({ description: 'completed = verdict fields are final' }),
    job_id: z.string(),
    model: z.string().optional(),
    analyzed_at: isoDateTime.optional(),
    cached: z.boolean().optional().openapi({
      description: 'the verdict is from before this request',
    }),
    explanation: z
      .object({
        advice_text: z
          .string()
          .openapi({ description: 'the advice as a sentence in the language asked for' }),
        reasons: z.array(reasonSchema),
        base_value: z.number(),
        contributions: z.array(contributionSchema),
        checks: z.array(checkSchema.openapi('Check')),
      })
      .optional(),
  })
  .openapi('PredictResultB');
export type PredictResult = z.infer<typeof predictResultSchema>;

/** Result for one address of a batch. */
export const batchItemSchema = z
  .object({
    address: z.string().openapi({ description: 'as sent, lower-cased when valid' }),
    status: jobStatus,
    token: tokenBSchema.optional(),
    job_id: z.string().optional(),
    error: z.string().optional(),
    code: z.string().optional(),
  })
  .openapi('BatchItem');
export type BatchItem = z.infer<typeof batchItemSchema>;

/** A past verdict, with what moved it. */
export const verdictHistoryEntrySchema = z
  .object({
    at: isoDateTime,
    block_number: count,
    prediction,
    is_rug: isRug,
    confidence: confidenceB,
    risk_score: riskScoreB,
    model: z.string(),
    reason: z.string().nullable().openapi({
      description:
        'what moved it most since the verdict before: market, code, age, or check: and the id of a check; null for the first verdict',
    }),
    changed: z
      .array(
        z.object({
          feature: z.string(),
          from: z.number().nullable(),
          to: z.number().nullable(),
          contribution_delta: z.number(),
        }),
      )
      .openapi({
        description: 'since the verdict before, heaviest first; empty for the first verdict',
      }),
  })
  .openapi('VerdictHistoryEntry');
export type VerdictHistoryEntry = z.infer<typeof verdictHistoryEntrySchema>;
