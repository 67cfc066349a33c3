import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { addressSchema, countSchema, hashSchema } from '../../shared/messages/schemas.ts';
import { SCAM_OUTCOMES } from '../../shared/rules/scamOutcome.ts';
import type { VerdictSummary } from '../tokens/verdict.ts';

const jsonText = <S extends z.ZodTypeAny>(schema: S) =>
  z
    .string()
    .transform((text) => JSON.parse(text || '[]') as unknown)
    .pipe(schema);

/** One reason for a wallet's reputation: the contributions, in signed points, add up to the score minus 50. */
const factorSchema = z.object({
  id: z.string(),
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  contribution: z.number(),
  text: z.string(),
});
export type Factor = Readonly<z.output<typeof factorSchema>>;

/** A role that a wallet has regularly. */
const behaviourSchema = z.object({ id: z.string(), text: z.string(), count: countSchema });
export type Behaviour = Readonly<z.output<typeof behaviourSchema>>;

/** A row that the cluster detector keeps of a wallet. */
export const walletRow = z
  .object({
    address: addressSchema,
    role: z.string(),
    isKnownScammer: z.number(),
    /** 0 to 100. */
    riskScore: z.number(),
    /** Reputation score: 0 worst to 100 best; 50 without any evidence. */
    score: z.number(),
    /** Confidence in the reputation, 0 to 1. */
    confidence: z.number(),
    labels: z.array(z.string()),
    factors: jsonText(z.array(factorSchema)),
    behaviours: jsonText(z.array(behaviourSchema)),
    tokensCreated: countSchema,
    scams: countSchema,
    stolenUsd: z.number(),
    victims: countSchema,
    counterparties: countSchema,
    medianTokenLifetimeH: z.number().nullable(),
    /** The wallet that first sent it native currency. */
    funder: addressSchema.nullable(),
    funderKind: z.enum(['wallet', 'contract', 'unknown']),
    fundingTx: hashSchema,
    clusterId: z.string().nullable(),
    firstSeenS: countSchema,
    lastActivityS: countSchema,
    updatedAtMs: countSchema,
  })
  .transform(({ score, confidence, labels, factors, funder, funderKind, fundingTx, ...row }) => ({
    ...row,
    isKnownScammer: row.isKnownScammer === 1,
    reputation: { score, confidence, labels, factors },
    funding: funder && { address: funder, kind: funderKind, txHash: fundingTx },
  }));
/** Data about a wallet. */
export type Wallet = Readonly<z.output<typeof walletRow>>;
/** The reputation of a wallet. */
export type Reputation = Wallet['reputation'];

/** Share of scams among the tokens it created. */
export const scamShareOf = ({
  scams,
  tokensCreated,
}: Pick<Wallet, 'scams' | 'tokensCreated'>): number =>
  tokensCreated === 0 ? 0 : scams / tokensCreated;

/** A change of a wallet's reputation; `score` is the new one. */
export const reputationStep = z.object({
  atS: countSchema,
  blockNumber: countSchema,
  score: z.number(),
  delta: z.number(),
  event: z.string(),
  token: addressSchema.nullable(),
  txHash: hashSchema.nullable(),
});
export type ReputationStep = Readonly<z.output<typeof reputationStep>>;

export const scamRow = z
  .object({
    token: addressSchema,
    name: z.string(),
    symbol: z.string(),
    role: z.string(),
    outcome: z.enum(SCAM_OUTCOMES),
    atS: countSchema,
    stolenUsd: z.number(),
    victims: countSchema,
    txHash: hashSchema,
  })
  .transform(({ token: address, name, symbol, ...row }) => ({
    ...row,
    token: { address, name, symbol },
  }));
/** A scam a wallet took part in. */
export type ScamEntry = Readonly<z.output<typeof scamRow>>;

/** Position in a wallet's list of tokens, newest first. */
export interface WalletTokensPage {
  readonly limit: number;
  readonly offset: number;
  /** Creation time (Unix seconds) and address of the entry before. */
  readonly after?: { readonly value: number; readonly id: string } | undefined;
}

/** Wallets of one chain. */
export interface Wallets {
  /** Undefined for an address unknown to the index. */
  find(wallet: Hex): Promise<Wallet | undefined>;
  /** Analysed tokens that the wallet created, newest first. */
  tokens(wallet: Hex, page: WalletTokensPage): Promise<{ tokens: VerdictSummary[]; total: number }>;
  /** Newest first. */
  history(
    wallet: Hex,
    range: { fromS?: number | undefined; toS?: number | undefined; limit: number },
  ): Promise<ReputationStep[]>;
  /** Newest first, a limited number. */
  scams(wallet: Hex): Promise<ScamEntry[]>;
}
