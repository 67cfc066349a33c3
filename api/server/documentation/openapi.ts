import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import { errorSchema, forbiddenErrorSchema, quotaErrorSchema } from '../apiError.ts';
import type { Endpoint, ErrorStatus } from '../endpoint.ts';
import { z } from '../schema.ts';
import { codeSamples } from './codeSamples.ts';
import type { Document } from './document.ts';
import { errorWith } from './errors.ts';
import { showExamples } from './examples.ts';
import { describeFields } from './fieldDescriptions.ts';
import { introduction } from './introduction.ts';
import { registerWebhookEvents } from './webhookEvents.ts';

/** Only a quota error has a tier, a policy and a limit that a higher tier lifts. */
const ERROR_SCHEMAS: Partial<Record<ErrorStatus, z.ZodTypeAny>> = {
  403: forbiddenErrorSchema,
  429: z.union([quotaErrorSchema, errorSchema]),
};
/** Refusals that may be temporary: if so, `Retry-After` says when to retry. */
const RETRYABLE: ReadonlySet<number> = new Set([403, 409, 429, 503]);
const RETRY_AFTER = { 'Retry-After': { schema: { type: 'integer' as const } } };

const header = (type: 'integer' | 'string', description: string) => ({
  schema: { type },
  description,
});
const RESPONSE_HEADERS = {
  'X-RateLimit-Limit': header('integer', 'Requests allowed per day'),
  'X-RateLimit-Remaining': header('integer', 'Requests left today'),
  'X-RateLimit-Reset': header('integer', 'Unix time of the next 00:00 UTC'),
  'RateLimit-Policy': header('string', 'Quotas of day and minute'),
  RateLimit: header('string', 'What is left of the quotas, and seconds until they are full again'),
  'X-Request-Id': header('string', 'Quote it when reporting a problem'),
};

const TAGS: Record<string, string> = {
  Tokens: 'Verdicts on tokens and their analysis',
  Watchlist: 'Addresses that a key family watches',
  Alerts: 'What happened to watched addresses',
  Wallets: 'Creators, their tokens and their reputation',
  Clusters: 'Rings of related wallets',
  Graph: 'How addresses are related',
  Webhooks: 'Events sent to your own server',
  Streams: 'The same events in real time, by WebSocket and SSE',
  Statistics: 'The service as a whole',
  Feedback: 'Disputed verdicts',
  Scan: 'Verdicts in the form that wallets show before a user signs',
  Search: 'Tokens, wallets and rings by name and by properties',
  Reports: 'Written reports in four languages',
};

const json = (schema: z.ZodTypeAny, example?: unknown) => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});

const responsesOf = (endpoint: Endpoint, baseUrl: string) => {
  const errors = endpoint.errors.map((status) => {
    const { description, example } = errorWith(status, baseUrl);
    const headers = RETRYABLE.has(status) ? { headers: RETRY_AFTER } : {};
    const content = json(ERROR_SCHEMAS[status] ?? errorSchema, example);
    return [String(status), { description, ...headers, content }] as const;
  });
  const successes = Object.entries(endpoint.successes).map(([status, description]) => {
    // An operation that answers 503 in its own shape may also be refused in the common shape.
    const schema = status === '503' ? z.union([endpoint.response, errorSchema]) : endpoint.response;
    const others = Object.entries(endpoint.otherTypes ?? {}).map(([type, text]) => [
      type,
      { schema: { type: 'string' as const, description: text } },
    ]);
    const own = endpoint.isStream ? {} : json(schema);
    const content = status === '101' ? {} : { content: { ...own, ...Object.fromEntries(others) } };
    return [status, { description, headers: RESPONSE_HEADERS, ...content }] as const;
  });
  return Object.fromEntries([...successes, ...errors]);
};

const IDEMPOTENCY_KEY = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[\x21-\x7e]*$/)
  .optional()
  .openapi({
    description:
      'printable ASCII without spaces; a repetition within 24 hours gets the first answer again, another body under the same key is refused with 422',
    example: '5f1c2b6e-analyze',
  });
/** Details of a response that its schema cannot express. */
const IDEMPOTENCY_RULE =
  '\n\nThe same `Idempotency-Key` with another body is refused with 422 for 24 hours.';

/** Notes that precede the description of an operation. */
const accessRule = ({ style, lowestTier }: Endpoint): string => {
  const access = lowestTier === 'free' ? 'Any key.' : `Tier ${lowestTier} or higher.`;
  return style === 'A'
    ? `${access} For clients of the first version: percents are whole numbers.`
    : access;
};

const register = (registry: OpenAPIRegistry, endpoint: Endpoint, baseUrl: string): void => {
  const { body } = endpoint;
  registry.registerPath({
    method: endpoint.method,
    path: endpoint.path,
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: `${accessRule(endpoint)}\n\n${endpoint.description}${endpoint.isIdempotent ? IDEMPOTENCY_RULE : ''}`,
    request: {
      params: endpoint.params as z.AnyZodObject,
      query: endpoint.query as z.AnyZodObject,
      ...(endpoint.isIdempotent
        ? { headers: z.object({ 'Idempotency-Key': IDEMPOTENCY_KEY }) }
        : {}),
      ...(body ? { body: { required: !endpoint.isBodyOptional, content: json(body) } } : {}),
    },
    responses: responsesOf(endpoint, baseUrl),
    'x-codeSamples': codeSamples(endpoint, baseUrl),
  });
};

/** The OpenAPI 3.1 document of some operations, from the schemas that validate them. */
export const createOpenApi = (endpoints: readonly Endpoint[], baseUrl: string): Document => {
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'ApiKeyHeader', {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
  });
  registry.registerComponent('securitySchemes', 'Bearer', { type: 'http', scheme: 'bearer' });
  registry.registerComponent('securitySchemes', 'ApiKeyQuery', {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'Testing only: query strings are logged',
  });
  for (const endpoint of endpoints) register(registry, endpoint, baseUrl);
  registerWebhookEvents(registry);
  const used = new Set(endpoints.map(({ tag }) => tag));
  const generated = new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Token Scam Detection Service',
      // Version of the contract, as in `API-Version`: clients are generated from it, and a release of the service
      // does not change it.
      version: '1.0.0',
      description: introduction(baseUrl),
      license: { name: 'Proprietary', url: `${baseUrl}/docs` },
    },
    servers: [{ url: baseUrl }],
    tags: [...used].map((name) => ({ name, description: TAGS[name] ?? name })),
    security: [{ ApiKeyHeader: [] }, { Bearer: [] }, { ApiKeyQuery: [] }],
  });
  const document = generated as unknown as Document;
  describeFields(document);
  showExamples(document);
  return document;
};
