import fc from 'fast-check';
import { createAjv, type Parameter, type Schema } from './contract.ts';
import { CLOSED_TARGET, KNOWN } from './sampleAccount.ts';

/** An operation in the form of the document. */
export interface DocumentedOperation {
  readonly operationId: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: { readonly 'application/json': { readonly schema: Schema } };
  };
}

/** A request that a document allows. */
interface AllowedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const LENGTH_MAX = 24;
const ITEMS_MAX = 4;
/** Decimals of generated numbers: without exponents, as queries require. */
const DECIMALS = 6;

const textOf = ({ pattern, format, minLength = 0, maxLength = Infinity }: Schema) => {
  if (format === 'uri') return fc.constant(CLOSED_TARGET);
  if (format === 'email') return fc.constant('someone@example.org');
  const isShort = (text: string): boolean => text.length >= minLength && text.length <= maxLength;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern)).filter(isShort);
  return fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, LENGTH_MAX)) });
};

const numberOf = ({ minimum = -1e6, maximum = 1e6 }: Schema) =>
  fc
    .oneof(
      fc.constantFrom(minimum, maximum),
      fc.double({ min: Math.max(minimum, -1e6), max: Math.min(maximum, 1e6), noNaN: true }),
    )
    .map((value) => Number(value.toFixed(DECIMALS)));

const integerOf = ({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema) =>
  fc.oneof(
    fc.constantFrom(minimum, maximum),
    fc.integer({ min: minimum, max: Math.min(maximum, minimum + 200) }),
  );

const objectOf = (schema: Schema): fc.Arbitrary<unknown> => {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  if (typeof additionalProperties === 'object') {
    const names = textOf({ pattern: '^[a-z_]{1,20}$', ...propertyNames });
    return fc.dictionary(names, valueOf(additionalProperties), { maxKeys: ITEMS_MAX });
  }
  const fields = Object.entries(properties).map(([name, each]) => [name, valueOf(each)] as const);
  return fc.record(Object.fromEntries(fields), {
    requiredKeys: required.filter((name) => name in properties),
  });
};

/** Values that a schema allows, ignoring keywords that relate several fields. */
const valueOf = (schema: Schema): fc.Arbitrary<unknown> => {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valueOf));
  const types = [schema.type ?? 'object'].flat();
  return fc.oneof(
    ...types.map((type): fc.Arbitrary<unknown> => {
      if (type === 'null') return fc.constant(null);
      if (type === 'boolean') return fc.boolean();
      if (type === 'string') return textOf(schema);
      if (type === 'number') return numberOf(schema);
      if (type === 'integer') return integerOf(schema);
      if (type === 'array') {
        const { items = {}, minItems: minLength = 0, maxItems = ITEMS_MAX } = schema;
        const maxLength = Math.max(minLength, Math.min(maxItems, ITEMS_MAX));
        return fc.array(valueOf(items), { minLength, maxLength });
      }
      if (type === 'object') return objectOf(schema);
      throw new Error(`a type that is not generated yet: ${type}`);
    }),
  );
};

/** Resolves every reference. */
const resolved = (value: unknown, document: unknown): unknown => {
  if (Array.isArray(value)) return value.map((each) => resolved(each, document));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value && typeof value.$ref === 'string') {
    const parts = value.$ref.slice(2).split('/');
    const found = parts.reduce<unknown>(
      (from, part) => (from as Record<string, unknown>)[part],
      document,
    );
    return resolved(found, document);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, resolved(each, document)]),
  );
};

/** A schema narrowed by a rule about several fields; `false` forbids a field. */
const narrowed = (schema: Schema, rule: NonNullable<Schema['allOf']>[number]): Schema => {
  const chosen = Object.entries(rule.if.properties).map(
    ([name, { const: value }]) => [name, { enum: [value] }] as const,
  );
  const others = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const change = rule.then.properties[name];
    if (change === false) return [];
    const names = change?.propertyNames?.enum;
    const properties = Object.entries(each.properties ?? {}).filter(([key]) =>
      names?.includes(key),
    );
    return [
      [
        name,
        { ...each, ...change, ...(names && { properties: Object.fromEntries(properties) }) },
      ] as const,
    ];
  });
  return {
    ...schema,
    properties: Object.fromEntries([...others, ...chosen]),
    required: [...(schema.required ?? []), ...Object.keys(rule.if.properties)],
  };
};

const ajv = createAjv();

/**
 * Requests of one operation that its document allows; bodies are valid under the whole schema.
 * @param known fixed values of parameters and fields, by name: existing ids, no waiting.
 */
export const allowedRequests = (
  document: object,
  path: string,
  given: DocumentedOperation,
  known: Readonly<Record<string, string | number>>,
): fc.Arbitrary<AllowedRequest> => {
  const operation = resolved(given, document) as DocumentedOperation;
  const all = operation.parameters ?? [];
  const among = (place: Parameter['in']) => {
    const own = all.filter((each) => each.in === place);
    const isRequired = ({ required, name }: Parameter) =>
      required === true || name === 'Idempotency-Key' || name in known;
    return fc.record(
      Object.fromEntries(
        own.map(({ name, schema }) => {
          const value = valueOf(schema).map(String);
          const fixed = known[name];
          return [name, fixed === undefined ? value : fc.constant(String(fixed))];
        }),
      ),
      { requiredKeys: own.filter(isRequired).map(({ name }) => name) },
    );
  };
  const schema = operation.requestBody?.content['application/json'].schema;
  const validate = schema && ajv.compile(schema);
  const fixed = Object.fromEntries(
    Object.entries(known).filter(([name]) => schema?.properties && name in schema.properties),
  );
  const bodies = schema
    ? fc
        .oneof(...(schema.allOf?.map((rule) => narrowed(schema, rule)) ?? [schema]).map(valueOf))
        .map((body) => ({ ...(body as object), ...fixed }))
        .filter((body) => validate?.(JSON.parse(JSON.stringify(body))) === true)
    : fc.constant(undefined);
  return fc
    .record({
      inPath: among('path'),
      inQuery: among('query'),
      inHeaders: among('header'),
      body: bodies,
    })
    .map(({ inPath, inQuery, inHeaders, body }) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(inPath[name] ?? ''),
      );
      const query = new URLSearchParams(inQuery as Record<string, string>).toString();
      return {
        path: query === '' ? filled : `${filled}?${query}`,
        headers: inHeaders as Record<string, string>,
        ...(body === undefined ? {} : { body }),
      };
    });
};

/** A rule that an OpenAPI 3.1 schema cannot express: it must be in the description of its operation. */
export interface UnwrittenRule {
  /** Field of the refusal as in `details`, and its message. */
  readonly field: RegExp;
  readonly message: RegExp;
  /** Its text in the description. */
  readonly described: RegExp;
  /** A request that the schema allows and the rule refuses. */
  readonly witness: { readonly path: string; readonly body?: unknown };
}

const CURSOR = Buffer.from('["no list",1,"x"]').toString('base64url');
const { token, creator } = KNOWN;

const cursorRule = (path: string): UnwrittenRule => ({
  field: /^cursor$/,
  message: /is not a cursor of this list/,
  described: /must be the `next_cursor` of an earlier page/,
  witness: { path: `${path}?cursor=${CURSOR}` },
});

const pagingRules = (path: string): UnwrittenRule[] => [
  cursorRule(path),
  {
    field: /^(?:offset|cursor)$/,
    message: /^cannot be given with page$/,
    described: /`page` excludes `offset` and `cursor`/,
    witness: { path: `${path}?page=1&offset=0` },
  },
  {
    field: /^limit$/,
    message: /^must be <= 100 with offset$/,
    described: /with `offset` a `limit` is at most 100/,
    witness: { path: `${path}?limit=101&offset=0` },
  },
  {
    field: /^page$/,
    message: /^reaches beyond entry 10000/,
    described: /No `page` may begin beyond entry 10,000/,
    witness: { path: `${path}?page=10001&limit=1000` },
  },
];

const target = (path: string, url: string): UnwrittenRule => ({
  field: /^url$/,
  message: /./,
  described: /host of `url` must resolve, and only to public addresses/,
  witness: { path, body: { url, events: ['webhook.test'] } },
});

/** Fields of another kind of webhook, or missing fields of its kind. */
const kindRules = (path: string, foreign: object): UnwrittenRule[] => [
  {
    field: /^(?:url|bot_token|chat_id|email|secret)$/,
    message: /^(?:is required|is not a field of kind \w+)$/,
    described: /a field of another kind is refused/,
    witness: { path, body: { events: ['webhook.test'], ...foreign } },
  },
  {
    field: /^(?:digest|quiet_hours)$/,
    message: /^must be n\w+ for kind webhook/,
    described: /of kind `webhook` they must be `none` and `null`/,
    witness: {
      path,
      body: { url: CLOSED_TARGET, events: ['webhook.test'], digest: 'daily' },
    },
  },
  {
    field: /^quiet_hours\.timezone$/,
    message: /IANA time zone/,
    described: /`quiet_hours\.timezone` must be an IANA time zone/,
    witness: {
      path,
      body: { quiet_hours: { from: '22:00', to: '07:00', timezone: 'Europe/Atlantis' } },
    },
  },
];

const createdRule = (path: string, described: RegExp): UnwrittenRule => ({
  field: /^created_after$/,
  message: /^must be <= created_before$/,
  described,
  witness: { path: `${path}?created_after=2026-01-02&created_before=2026-01-01` },
});

const historyRules = (path: string): UnwrittenRule[] => [
  {
    field: /^from$/,
    message: /^must be <= to$/,
    described: /`from` must be at most `to`/,
    witness: { path: `${path}/${creator}/reputation?from=2026-01-02&to=2026-01-01` },
  },
];

const SEARCH = '/api/search/advanced';
const CONFIGURE = '/api/alerts/configure';

/** All of them, by operation. */
export const UNWRITTEN_RULES: Readonly<Record<string, readonly UnwrittenRule[]>> = {
  getTokens: [cursorRule('/tokens')],
  listTokens: [
    ...pagingRules('/api/tokens'),
    {
      field: /^confidence_min$/,
      message: /^must be <= confidence_max$/,
      described: /`confidence_min` must be at most `confidence_max`/,
      witness: { path: '/api/tokens?confidence_min=0.5&confidence_max=0.4' },
    },
    createdRule('/api/tokens', /`created_after` and `created_before`.*must be at most the second/),
  ],
  getTokensOfWallet: pagingRules(`/api/wallet/${creator}/tokens`),
  getWalletReputation: historyRules('/api/wallets'),
  getWalletReputationAlias: historyRules('/api/wallet'),
  getWatchedWallets: pagingRules('/api/watchlist'),
  getAlertHistory: [
    ...pagingRules('/api/alerts'),
    createdRule('/api/alerts', /`created_after` must be at most `created_before`/),
  ],
  getTokenHistory: [cursorRule(`/api/tokens/${token}/history`)],
  getWebhookDeliveries: [cursorRule('/api/webhooks/{id}/deliveries')],
  getAlerts: [
    {
      field: /^since_id$/,
      message: /^is not the id of an alert of yours$/,
      described: /`since_id`, which must be 0 or the id of an alert of yours/,
      witness: { path: '/alerts?since_id=4242424242' },
    },
  ],
  getGraphPath: [
    {
      field: /^to$/,
      message: /^must differ from `from`$/,
      described: /`from` and `to` must differ/,
      witness: { path: `/api/graph/path?from=${token}&to=${token}` },
    },
  ],
  configureAlerts: [
    {
      field: /^quiet_hours\.timezone$/,
      message: /IANA time zone/,
      described: /`quiet_hours\.timezone` must be an IANA time zone/,
      witness: { path: CONFIGURE, body: { quiet_hours: { timezone: 'Europe/Atlantis' } } },
    },
    {
      field: /^quiet_hours\.(?:from|to)$/,
      message: /^is required$/,
      described: /if none are set, `quiet_hours` needs `from` and `to`/,
      witness: { path: CONFIGURE, body: { quiet_hours: { from: '22:00' } } },
    },
  ],
  searchAdvanced: [
    {
      field: /\.min$/,
      message: /^must be <= max$/,
      described: /`min` must be at most `max`/,
      witness: { path: SEARCH, body: { filters: { confidence: { min: 0.5, max: 0.4 } } } },
    },
    {
      field: /\.after$/,
      message: /^must be <= before$/,
      described: /`after` at most `before`/,
      witness: {
        path: SEARCH,
        body: { filters: { created: { after: '2026-01-02', before: '2026-01-01' } } },
      },
    },
    {
      field: /^page$/,
      message: /^reaches beyond entry 10000/,
      described: /no `page` may begin beyond entry 10,000/,
      witness: { path: SEARCH, body: { page: 10_002, limit: 1 } },
    },
    {
      field: /^cursor$/,
      message: /is not a cursor of this list/,
      described: /must be the `next_cursor` of an earlier page/,
      witness: { path: SEARCH, body: { cursor: CURSOR } },
    },
  ],
  createWebhook: [
    target('/api/webhooks', 'https://no-such-host.invalid/hook'),
    ...kindRules('/api/webhooks', { kind: 'telegram' }),
  ],
  changeWebhook: [
    target('/api/webhooks/{id}', CLOSED_TARGET.replace('http', 'ftp')),
    ...kindRules('/api/webhooks/{id}', { chat_id: '@channel' }),
  ],
};
