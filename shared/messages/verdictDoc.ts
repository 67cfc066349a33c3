import { z } from 'zod';
import { PROTOCOLS } from '../chain/protocol.ts';
import { sentenceSchema } from '../sentences/sentence.ts';
import { addressSchema, countSchema, hashSchema } from './schemas.ts';

const evidenceSchema = z.object({
  kind: z.enum(['tx', 'block', 'call', 'storage', 'bytecode', 'address']),
  ref: z.string(),
  note: z.string().optional(),
  /** A JSON-RPC request whose answer shows it: anyone can send it to a node of the chain. */
  request: z.object({ method: z.string(), params: z.array(z.unknown()) }).optional(),
});

/** One rule that was checked, with what anyone needs to check it again. */
export const checkSchema = z.object({
  id: z.string(),
  status: z.enum(['pass', 'fail', 'unknown', 'not_applicable']),
  severity: z.enum(['critical', 'warning', 'info']),
  value: z.union([z.number(), z.string(), z.boolean(), z.null()]).optional(),
  /** Of a power: how it shows, and what sort of account has it. */
  shown_by: z.enum(['simulation', 'code']).optional(),
  held_by: z
    .enum(['wallet', 'multisig', 'timelock', 'governance', 'contract', 'anyone', 'unknown'])
    .optional(),
  reason: z.string(),
  evidence: z.array(evidenceSchema).optional(),
});
export type Check = z.infer<typeof checkSchema>;

/** The sentences of a check in no language yet: its reason, and the note of each piece of evidence. */
const checkSentencesSchema = z.object({ reason: sentenceSchema, notes: z.array(sentenceSchema) });
export type CheckSentences = z.infer<typeof checkSentencesSchema>;

/** A share of what is sold, 0 to 1. */
const shareSchema = z.number().min(0).max(1);

/** What wallets experienced that bought the token and do not belong to its creator, as of the verdict. */
export const holdersSchema = z.object({
  /** Of the latest thousand trades: wallets that bought, those of them that sold, and those that bought since the last sale. */
  buyers: countSchema,
  sellers: countSchema,
  buyers_since_sale: countSchema,
  /** Wallets whose sale failed and that have not sold since. Verdicts from before failed sales were read do not say. */
  failed_sellers: countSchema.optional(),
  last_sale_s: countSchema.nullable(),
  /** Transactions of the latest sales. */
  sales: z.array(hashSchema),
  /** Sales tried as those who hold it; null: not tried. */
  trials: z
    .object({
      block_number: countSchema,
      /** Wallets that can sell, at once or up to a day later, and those that cannot. */
      sold: z.array(addressSchema),
      refused: z.array(addressSchema),
      /** Share that does not arrive of what is sold at once; null: not known. */
      tax: z.object({ lowest: shareSchema, mean: shareSchema, highest: shareSchema }).nullable(),
    })
    .nullable(),
});
export type VerdictHolders = z.infer<typeof holdersSchema>;

/** Something that is locked, or said to be, as of the verdict. */
export const verdictLockSchema = z.object({
  /** Tokens of a pool, a position in a pool with concentrated liquidity, or the token itself. */
  kind: z.enum(['liquidity', 'position', 'supply']),
  /** The contract that says so. */
  locker: addressSchema,
  /** The number it gave the lock, decimal. */
  lock_id: z.string(),
  /** The token that is locked, or the manager of the position. */
  asset: addressSchema,
  /** Id of the position, decimal. */
  position: z.string().nullable(),
  /** The pool whose liquidity it is. */
  market: addressSchema.nullable(),
  /** Who may take it out. */
  owner: addressSchema,
  /** What the locker has for it, smallest units, of a position its liquidity, decimal. */
  amount: z.string(),
  /** Of the liquidity or the supply, 0 to 1. */
  share: z.number().min(0).max(1),
  locked_at_s: countSchema,
  locked_tx: z.string(),
  unlock_at_s: countSchema,
  /** How often it was made longer. */
  extended: countSchema,
  /** What was taken out, decimal. */
  withdrawn: z.string(),
  state: z.enum(['locked', 'unlocked', 'withdrawn']),
  /** `code`: the code of the locker is known; `behaviour`: no one can open it before its time; `fake`: it is none. */
  belief: z.enum(['code', 'behaviour', 'fake', 'unknown']),
});
export type VerdictLock = z.infer<typeof verdictLockSchema>;

/** A framework that the code of a token bears the marks of, which anyone can copy. */
export const frameworkSchema = z.object({
  name: z.string(),
  /** Marks that were found, and those that are known of it. */
  marks: countSchema,
  of: countSchema,
  /** The contract whose code the token runs, where it is a proxy. */
  implementation: addressSchema.optional(),
});

/** The market that most can be taken out of, and how its price becomes US dollars. */
const marketSchema = z.object({
  protocol: z.enum(PROTOCOLS),
  /** Contract of the market, or its id in its manager. */
  market: z.union([addressSchema, hashSchema]),
  /** What the token is traded against there. */
  quote: addressSchema,
  /**
   * The markets from the token to US dollars: its own, then those of what it is traded against, until a stable token; it ends with the native coin
   * where the price of that is configured.
   */
  route: z.array(
    z.object({
      protocol: z.enum(PROTOCOLS),
      market: z.union([addressSchema, hashSchema]),
      from: addressSchema,
      to: addressSchema,
      /** US dollars that a sale of everything takes out of it. */
      depth_usd: z.number(),
    }),
  ),
});

/**
 * Everything about a verdict that is served but never filtered on: the `doc` column of
 * `token_verdicts`, as JSON.
 */
export const verdictDocSchema = z.object({
  v: z.literal(1),
  /** The five of the specification, then whatever else was observed. Unobserved ones are absent. */
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
   * Log-odds added by features of the model, by checks (`check:…`) and by what joins them (`prior:…`,
   * `rule:…`); with `base_value` they add up to `margin`.
   */
  shap_values: z.record(z.number()),
  /** Log-odds before anything is known of the token. */
  base_value: z.number(),
  /** Log-odds of a scam, all evidence together. */
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
  /** The same sentences for other languages, by the id of the check. */
  sentences: z.record(checkSentencesSchema).optional(),
  /** What holders experienced, where any bought. */
  holders: holdersSchema.optional(),
  /** What is locked of the token and its liquidity, where anything is. */
  locks: z.array(verdictLockSchema).optional(),
  /** What its code is made with; it weighs nothing. Absent where the code was not read. */
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
    /** The time whose facts it rests on, Unix seconds. Verdicts of earlier releases do not say. */
    as_of_s: countSchema.optional(),
    /** What made it due: `birth`, `event`, `request` or `horizon:` and an age of the main pool. */
    trigger: z.string().optional(),
  }),
  /** Absent for a token without a market of known depth. Verdicts of earlier releases do not say. */
  market: marketSchema.optional(),
});
export type VerdictDoc = z.infer<typeof verdictDocSchema>;
