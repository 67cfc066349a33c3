import { SHOWN_FEATURES } from '../../shared/messages/featureNames.ts';
import { CHECK_QUESTIONS } from '../../shared/rules/artifacts/checkQuestions.ts';
import { RISK_LEVELS } from '../../shared/rules/riskLevel.ts';
import { WALLET_ROLES } from '../../shared/rules/walletRoles.ts';
import { CLUSTER_SORTS } from '../clusters/queries.ts';
import { cursorText } from '../server/paging.ts';
import { addressInput, moment, ordered, z } from '../server/schema.ts';
import { VERDICT_SORTS } from '../tokens/verdictPage.ts';
import { ENTITIES, searchText } from './schema.ts';
import { WALLET_SORTS } from './search.ts';

const TEXT_LENGTH_MAX = 128;
const ITEMS_MAX = 50;
const FEATURES_MAX = 20;

const FEATURES_TEXT = SHOWN_FEATURES.join(', ');
const CHECK_IDS = Object.keys(CHECK_QUESTIONS);
/** Allowed names are too many for a message that is shown with others. */
const oneOf = (names: readonly string[], noun: string) => {
  const known = new Set(names);
  return z
    .string()
    .refine(
      (name) => known.has(name),
      `is not a ${noun}, as ${names[0]} is one; GET /openapi.json names all of them in searchAdvanced`,
    );
};

/** Sort fields of each entity; the first is the default. */
export const ADVANCED_SORTS = {
  token: VERDICT_SORTS,
  wallet: WALLET_SORTS,
  cluster: CLUSTER_SORTS,
} as const;

/** Filters of each entity. */
const FILTERS_OF: Record<(typeof ENTITIES)[number], readonly string[]> = {
  token: [
    'is_rug',
    'risk_level',
    'confidence',
    'risk_score',
    'created',
    'creator',
    'features',
    'checks',
  ],
  wallet: [
    'risk_score',
    'cluster_id',
    'role',
    'tokens_created',
    'scam_rate',
    'total_stolen',
    'is_known_scammer',
  ],
  cluster: ['risk_score', 'cluster_id', 'tokens_created', 'scam_rate', 'total_stolen', 'size'],
};

const range = (min: number, max: number) =>
  z
    .object({ min: z.number().min(min).max(max), max: z.number().min(min).max(max) })
    .partial()
    .strict()
    .superRefine(ordered('min', 'max'))
    .openapi({ description: 'min must be at most max' });
const anyNumber = range(-Number.MAX_VALUE, Number.MAX_VALUE);
const amount = range(0, Number.MAX_SAFE_INTEGER);

const checkIds = z.array(oneOf(CHECK_IDS, 'check').openapi({ enum: CHECK_IDS })).max(ITEMS_MAX);

const filtersSchema = z
  .object({
    is_rug: z.boolean(),
    risk_level: z.array(z.enum(RISK_LEVELS)).min(1).max(RISK_LEVELS.length),
    confidence: range(0, 1),
    risk_score: range(0, 100),
    created: z
      .object({ after: moment, before: moment })
      .partial()
      .strict()
      .superRefine(ordered('after', 'before'))
      .openapi({ description: 'after must be at most before' }),
    creator: addressInput,
    cluster_id: z.string().min(1).max(64),
    features: z
      .record(oneOf(SHOWN_FEATURES, 'feature'), anyNumber)
      .refine((features) => Object.keys(features).length <= FEATURES_MAX, {
        message: `must have at most ${FEATURES_MAX} features`,
      })
      .openapi({
        description: `bounds by name: ${FEATURES_TEXT}`,
        maxProperties: FEATURES_MAX,
        propertyNames: { enum: [...SHOWN_FEATURES] },
      } as object),
    checks: z
      .object({ all: checkIds, any: checkIds, none: checkIds })
      .partial()
      .strict()
      .openapi({ description: 'ids of failed checks' }),
    role: z.array(z.enum(WALLET_ROLES)).min(1).max(WALLET_ROLES.length),
    tokens_created: amount,
    scam_rate: range(0, 1),
    total_stolen: amount,
    size: amount,
    is_known_scammer: z.boolean(),
  })
  .partial()
  .strict();

/** The same rules in JSON Schema. */
const rulesOf = (entity: (typeof ENTITIES)[number]): object => {
  const isDefault = entity === 'token';
  const absent = { token: [], wallet: ['query', 'cursor'], cluster: ['cursor'] }[entity];
  return {
    if: {
      properties: { entity: { const: entity } },
      ...(isDefault ? {} : { required: ['entity'] }),
    },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: {
      properties: {
        sort_by: { enum: ADVANCED_SORTS[entity] },
        filters: { propertyNames: { enum: FILTERS_OF[entity] } },
        ...Object.fromEntries(absent.map((name) => [name, false])),
      },
    },
  };
};

/** Input of an advanced search. Filters and sort fields of other entities are rejected by name. */
export const advancedBodySchema = z
  .object({
    entity: z.enum(ENTITIES).default('token'),
    query: searchText(1, TEXT_LENGTH_MAX).optional(),
    filters: filtersSchema.default({}),
    sort_by: z
      .string()
      .max(TEXT_LENGTH_MAX)
      .optional()
      .openapi({
        description: `token: ${ADVANCED_SORTS.token.join(', ')}; wallet: ${ADVANCED_SORTS.wallet.join(', ')}; cluster: ${ADVANCED_SORTS.cluster.join(', ')}`,
      }),
    sort_order: z.enum(['asc', 'desc']).default('desc'),
    page: z.number().int().min(1).default(1),
    limit: z.number().int().min(1).max(1_000).default(100),
    cursor: cursorText.optional().openapi({
      description: 'opaque: the next_cursor of the previous page, of the same sort and order',
    }),
  })
  .strict()
  .superRefine((body, context) => {
    const sorts: readonly string[] = ADVANCED_SORTS[body.entity];
    if (body.sort_by !== undefined && !sorts.includes(body.sort_by)) {
      context.addIssue({
        code: 'custom',
        path: ['sort_by'],
        message: `must be one of ${sorts.join(', ')} for a ${body.entity}`,
      });
    }
    for (const name of Object.keys(body.filters)) {
      if (FILTERS_OF[body.entity].includes(name)) continue;
      context.addIssue({
        code: 'custom',
        path: ['filters', name],
        message: `is not a filter of a ${body.entity}`,
      });
    }
    if (body.query !== undefined && body.entity === 'wallet') {
      context.addIssue({ code: 'custom', path: ['query'], message: 'wallets have no name' });
    }
  })
  .openapi({ allOf: ENTITIES.map(rulesOf) } as object);
export type AdvancedBody = z.output<typeof advancedBodySchema>;
