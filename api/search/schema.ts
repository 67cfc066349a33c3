import { safeText } from '../../shared/rules/safeText.ts';
import { address, fraction, z } from '../server/schema.ts';
import { riskScoreB } from '../tokens/schema.ts';
import { riskLevel } from '../wallets/schema.ts';

export const ENTITIES = ['token', 'wallet', 'cluster'] as const;

/**
 * The search text, cleaned in the same way as token names: invisible characters of a copied name match nothing.
 * Lengths in characters.
 */
export const searchText = (lengthMin: number, lengthMax: number) =>
  z
    .string()
    .max(lengthMax)
    .transform((text) => safeText(text, lengthMax))
    .pipe(z.string().min(lengthMin))
    .openapi({ type: 'string', minLength: lengthMin, maxLength: lengthMax });

/** A search hit. */
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
