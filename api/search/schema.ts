import { safeText } from '../../shared/rules/safeText.ts';
import { address, fraction, z } from '../server/schema.ts';
import { riskScoreB } from '../tokens/schema.ts';
import { riskLevel } from '../wallets/schema.ts';

export const ENTITIES = ['token', 'wallet', 'cluster'] as const;

/** What is searched, cleaned as names of tokens are: what shows nothing in a copied name finds nothing. Lengths in characters. */
export const searchText = (lengthMin: number, lengthMax: number) =>
  z
    .string()
    .max(lengthMax)
    .transform((text) => safeText(text, lengthMax))
    .pipe(z.string().min(lengthMin))
    .openapi({ type: 'string', minLength: lengthMin, maxLength: lengthMax });

/** Something a search has found. */
export const searchHitSchema = z
  .object({
    type: z.enum(ENTITIES),
    id: z.string(),
    address: address.nullable(),
    name: z.string(),
    symbol: z.string().nullable(),
    relevance: fraction,
    is_rug: z.boolean().nullable(),
    confidence: fraction.nullable(),
    risk_score: riskScoreB.nullable(),
    risk_level: riskLevel,
    match: z.string().openapi({
      description: 'what matched: address | pool | name | symbol | cluster | filters',
    }),
  })
  .openapi('SearchHit');
export type SearchHit = z.infer<typeof searchHitSchema>;
