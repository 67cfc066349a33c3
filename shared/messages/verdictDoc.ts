import { z } from 'zod';
import { PROTOCOLS } from '../chain/protocol.ts';
import { sentenceSchema } from '../sentences/sentence.ts';
import { addressSchema, countSchema, hashSchema } from './schemas.ts';

const evidenceSchema = z.object({
  kind: z.enum(['tx', 'block', 'call', 'storage', 'bytecode', 'address']),
  ref: z.string(),
  note: z.string().optional(),
  /** A JSON-RPC request whose answer is the evidence: anyone can send it to a node of the chain. */
  request: z.object({ method: z.string(), params: z.array(z.unknown()) }).optional(),
});

/** One checked rule, with everything needed to verify it. */
export const checkSchema = z.object({
  id: z.string(),
  status: z.enum(['pass', 'fail', 'unknown', 'not_applicable']),
  severity: z.enum(['critical', 'warning', 'info']),
  value: z.union([z.number(), z.string(), z.boolean(), z.null()]).optional(),
  /** For a power: how it shows, and what kind of account holds it. */
  shown_by: z.enum(['simulation', 'code']).optional(),
  held_by: z
    .enum(['wallet', 'multisig', 'timelock', 'governance', 'contract', 'anyone', 'unknown'])
    .optional(),
  reason: z.string(),
  evidence: z.array(evidenceSchema).optional(),
});
export type Check = z.infer<typeof checkSchema>;

/** The sentences of a check as codes and values: its reason, and the note of each piece of evidence. */
const checkSentencesSchema = z.object({ reason: sentenceSchema, notes: z.array(sentenceSchema) });
export type CheckSentences = z.infer<typeof checkSentencesSchema>;

/** A share of the sold amount, 0 to 1. */
const shareSchema = z.number().min(0).max(1);

/** What independent buyers of the token experienced, as of the verdict. */
export const holdersSchema = z.object({
  /**
   * In the latest thousand trades: wallets that bought, those of them that sold, and those that bought after the last
   * sale.
   */
  buyers: countSchema,
  sellers: countSchema,
  buyers_since_sale: countSchema,
  /**
   * Wallets whose sale failed and that have not sold since. Absent in verdicts older than the recording of failed
   * sales.
   */
  failed_sellers: countSchema.optional(),
  last_sale_s: countSchema.nullable(),
  /** Transactions of the latest sales. */
  sales: z.array(hashSchema),
  /** Sales simulated as real holders; null: not simulated. */
  trials: z
    .object({
      block_number: countSchema,
      /** Wallets that can sell at once or within a day, and those that cannot. */
      sold: z.array(addressSchema),
      refused: z.array(addressSchema),
      /** Share that does not arrive in an immediate sale; null: unknown. */
      tax: z.object({ lowest: shareSchema, mean: shareSchema, highest: shareSchema }).nullable(),
    })
    .nullable(),
});
export type VerdictHolders = z.infer<typeof holdersSchema>;

/** A lock, real or claimed, as of the verdict. */
export const verdictLockSchema = z.object({
  /** Tokens of a pool, a position in a concentrated-liquidity pool, or the token itself. */
  kind: z.enum(['liquidity', 'position', 'supply']),
  /** The contract that claims it. */
  locker: addressSchema,
  /** The contract's number for the lock, decimal. */
  lock_id: z.string(),
  /** The locked token, or the manager of the position. */
  asset: addressSchema,
  /** Id of the position, decimal. */
  position: z.string().nullable(),
  /** The pool whose liquidity it is. */
  market: addressSchema.nullable(),
  /** Who may withdraw it. */
  owner: addressSchema,
  /** What the locker holds for it, in smallest units or as liquidity of a position, decimal. */
  amount: z.string(),
  /** Share of the liquidity or the supply, 0 to 1. */
  share: z.number().min(0).max(1),
  locked_at_s: countSchema,
  locked_tx: z.string(),
  unlock_at_s: countSchema,
  /** How often it was extended. */
  extended: countSchema,
  /** The withdrawn amount, decimal. */
  withdrawn: z.string(),
  state: z.enum(['locked', 'unlocked', 'withdrawn']),
  /**
   * `code`: the locker's code is known; `behaviour`: nobody can open it before its time; `fake`: it locks nothing.
   */
  belief: z.enum(['code', 'behaviour', 'fake', 'unknown']),
});
export type VerdictLock = z.infer<typeof verdictLockSchema>;

/** A framework whose marks are in the code of a token; anyone can copy them. */
export const frameworkSchema = z.object({
  name: z.string(),
  /** Marks found, and marks known of the framework. */
  marks: countSchema,
  of: countSchema,
  /** The contract whose code the token executes, if it is a proxy. */
  implementation: addressSchema.optional(),
});

/** The market with the largest possible output, and how its price becomes US dollars. */
const marketSchema = z.object({
  protocol: z.enum(PROTOCOLS),
  /** Contract of the market, or its id in its manager. */
  market: z.union([addressSchema, hashSchema]),
  /** The quote token of that market. */
  quote: addressSchema,
  /**
   * The markets on the route from the token to US dollars: its own, then those of its quote tokens up to a
   * stablecoin. The route ends at the native coin if its price is configured.
   */
  route: z.array(
    z.object({
      protocol: z.enum(PROTOCOLS),
      market: z.union([addressSchema, hashSchema]),
      from: addressSchema,
      to: addressSchema,
      /** US dollars from selling the whole supply into it. */
      depth_usd: z.number(),
    }),
  ),
});

/**
 * Everything about a verdict that is served but never filtered: the `doc` column of `token_verdicts`, as JSON.
 */
export const verdictDocSchema = z.object({
  v: z.literal(1),
  /** The five of the specification, then all others that were observed. Unobserved ones are absent. */
  features: z
    .object({
      holder_count: z.number(),
      transaction_count: z.number(),
      liquidity_usd: z.number(),
      top_10_concentration: z.number(),
      creator_risk_score: z.number(),
    })
    .catchall(z.number()),
  /**
   * Log-odds added by model features, by checks (`check:…`) and by their combination (`prior:…`, `rule:…`); together
   * with `base_value` they add up to `margin`.
   */
  shap_values: z.record(z.number()),
  /** Log-odds before anything is known about the token. */
  base_value: z.number(),
  /** Log-odds of a scam, from all evidence. */
  margin: z.number(),
  /** The logistic function of `margin`. */
  probability: z.number().min(0).max(1),
  creator: z.object({
    address: addressSchema,
    risk_score: z.number().int().min(0).max(100),
    tokens_created: countSchema,
    scam_rate: z.number().min(0).max(1),
  }),
  /** With their sentences in English. */
  checks: z.array(checkSchema),
  /** The same sentences for other languages, by check id. */
  sentences: z.record(checkSentencesSchema).optional(),
  /** What holders experienced, if any wallet bought. */
  holders: holdersSchema.optional(),
  /** Locks of the token and its liquidity, if there are any. */
  locks: z.array(verdictLockSchema).optional(),
  /** Frameworks of its code; they weigh nothing. Absent if the code was not read. */
  frameworks: z.array(frameworkSchema).optional(),
  provenance: z.object({
    chain_id: countSchema,
    block_number: countSchema,
    block_hash: z.string(),
    bytecode_hash: z.string(),
    model: z.string(),
    model_sha256: z.string(),
    features_sha256: z.string(),
    coverage: z.number().min(0).max(1),
    /** The time whose facts the verdict is based on, Unix seconds. Absent in verdicts of earlier releases. */
    as_of_s: countSchema.optional(),
    /** The trigger: `birth`, `event`, `request` or `horizon:` and an age of the main pool. */
    trigger: z.string().optional(),
  }),
  /** Absent for a token without a market of known depth, and in verdicts of earlier releases. */
  market: marketSchema.optional(),
});
export type VerdictDoc = z.infer<typeof verdictDocSchema>;
