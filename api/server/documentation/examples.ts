import { type Document, entryFor, operationsIn, type Schema } from './document.ts';

export const EXAMPLE_ADDRESS = '0x1f981f981f981f981f981f981f981f981f981f98';
export const EXAMPLE_TIME = '2026-11-21T05:30:00Z';
const WALLET = '0xd8dad8dad8dad8dad8dad8dad8dad8dad8dad8da';
const HASH = `0x${'ab'.repeat(32)}`;
const DIGEST = 'ab'.repeat(32);
const SENTENCE = 'A simulated sale reverts for an ordinary account.';
const [TOKEN_NODE, WALLET_NODE] = [`token_${EXAMPLE_ADDRESS}`, `wallet_${WALLET}`];

/**
 * Example values of fields for which the schema alone is not enough: a scam, its creator and their ring. As in
 * `FIELD_DESCRIPTIONS`, the longest key that is a suffix of the field's path applies; undefined leaves the field out.
 */
const FIELD_EXAMPLES: Readonly<Record<string, unknown>> = {
  'details.path': 'address',
  message: undefined,
  'data.message': 'Done',
  has_more: false,
  limit: 50,
  next_cursor: null,
  offset: 0,
  'Pagination.page': null,
  total: 1,

  // Tokens and verdicts
  name: 'Moon Pepe',
  symbol: 'MPEPE',
  risk_level: 'CRITICAL',
  model: 'gbdt-onnx-1.0',
  holder_count: 212,
  transaction_count: 1_804,
  liquidity_usd: 15_230.5,
  base_value: -0.4,
  check: 'sell_simulation',
  text: SENTENCE,
  reason: SENTENCE,
  'Check.id': 'sell_simulation',
  'Check.severity': 'critical',
  'Check.status': 'fail',
  'evidence.kind': 'call',
  ref: 'eth_call@24811234',
  note: 'TRANSFER_FROM_FAILED',
  request: undefined,
  block_hash: HASH,
  block_number: 24_811_234,
  bytecode_hash: HASH,
  features_sha256: DIGEST,
  model_sha256: DIGEST,
  as_of_s: 1_795_239_000,
  trigger: 'event',
  'TokenLock.market': EXAMPLE_ADDRESS,
  'TokenMarket.market': EXAMPLE_ADDRESS,
  'route.market': EXAMPLE_ADDRESS,
  amount: '950000000000000000000',
  lock_id: '0',
  locked_tx: HASH,
  position: null,
  withdrawn: '0',
  owner: WALLET,
  'creator.address': WALLET,
  cluster_id: 'cl_7f3a',
  shap_values: { top_10_concentration: 0.62, holder_count: -0.12 },
  job_id: 'job_01JD6Q4M3Z9K7W2X5T8V1N0P4R',
  'AnalysisJob.error': undefined,
  'AnalysisJob.status': 'completed',
  estimated_time: 0,
  'PredictResultB.status': 'completed',
  'BatchItem.code': undefined,
  'BatchItem.error': undefined,
  'BatchItem.status': 'completed',
  advice_text: 'Do not buy.',
  feature: 'top_10_concentration',
  'Contribution.value': 0.81,
  'Contribution.contribution': 0.62,
  feature_id: 'sell_simulation',
  'ScanResult.description': 'Do not buy.',
  'ScanResult.reason': 'sell_simulation',
  'features.description': SENTENCE,

  // Wallets, rings and graphs
  'WalletA.address': WALLET,
  'WalletB.address': WALLET,
  'WalletAnalysisB.address': WALLET,
  'WalletReputation.address': WALLET,
  'reputation.address': WALLET,
  'wallets.address': WALLET,
  'connections.address': WALLET,
  'funding_source.address': WALLET,
  'evidence.wallets': [WALLET],
  tokens_created: 17,
  scam_rate: 0.82,
  victims: 934,
  truncated: false,
  role: 'creator',
  'wallets.role': 'master',
  level: 'MALICIOUS',
  reputation_score: 9,
  labels: ['serial_deployer', 'ring_master'],
  'factors.id': 'scam_rate',
  'factors.value': 0.82,
  'factors.contribution': -41,
  'factors.text': '14 of 17 tokens created were scams.',
  'history.event': 'token_flagged',
  delta: -11,
  'behaviours.id': 'lp_removed_within_24h',
  'behaviours.text': 'Removed liquidity within 24 h of launch',
  tx_hash: HASH,
  'ClusterListEntry.id': 'cl_7f3a',
  'ClusterListEntry.name': 'Ring 7f3a',
  'ClusterDetail.id': 'cl_7f3a',
  'ClusterDetail.name': 'Ring 7f3a',
  rule: 'common_funder',
  center: TOKEN_NODE,
  'GraphNode.id': TOKEN_NODE,
  'GraphNodeA.id': TOKEN_NODE,
  label: 'MPEPE',
  source: WALLET_NODE,
  target: TOKEN_NODE,
  'GraphPathB.from': WALLET_NODE,
  'GraphPathB.to': TOKEN_NODE,
  'paths.nodes': [WALLET_NODE, TOKEN_NODE],

  // Watchlist, alerts, webhooks
  'Alert.id': 9001,
  'Alert.severity': 'critical',
  'Alert.details': { liquidity_change: -0.97, creator_sold_usd: 14_800 },
  read: false,
  muted: [],
  'Webhook.filters': null,
  quiet_hours: null,
  'Webhook.id': 'wh_01JD6Q4M3Z9K7W2X5T8V1N0P4R',
  url: 'https://example.org/hooks/tsd',
  chat_id: null,
  'Webhook.email': null,
  'Webhook.description': null,
  disabled_reason: null,
  secret: undefined,
  addresses: [EXAMPLE_ADDRESS],
  'WebhookDelivery.id': 'dl_01JD6Q4M3Z9K7W2X5T8V1N0P4R',
  event_id: 'msg_01JD6Q4M3Z9K7W2X5T8V1N0P4R',
  'WebhookDelivery.status': 'delivered',
  'WebhookDelivery.error': null,
  http_status: 200,
  next_attempt_at: null,
  ticket: 'tkt_2mXc0QdQ1m0m3l7m8C7u5q2y0cV0Yk9dJ1yQe8mW9fI',

  // Searches, reports, feedback, health
  query: 'pepe',
  'SearchHit.id': TOKEN_NODE,
  match: 'name',
  report_id: 'rep_0123456789abcdef0123456789abcdef',
  title: 'Moon Pepe (MPEPE): risk report',
  'sections.title': 'Verdict',
  summary: SENTENCE,
  markdown: `- ${SENTENCE}`,
  self: '/api/reports/rep_0123456789abcdef0123456789abcdef',
  html: '/api/reports/rep_0123456789abcdef0123456789abcdef?format=html',
  pdf: null,
  'Feedback.id': 'fb_01JD6Q4M3Z9K7W2X5T8V1N0P4R',
  'Feedback.details': 'Sells work since block 24811400',
  resolution: null,
  resolved_at: null,
  'getHealth.data.checks': {
    redis: 'up',
    clickhouse: 'up',
    index: 'up',
    nats: 'up',
    node: 'up',
  },
  late: [],
  'consumers.role': 'scorer',
  waiting_since: null,
};

/** Which properties of a schema to include: all, or only the required ones. */
type Extent = 'all' | 'required';

const textOf = ({ format, pattern, minLength = 0 }: Schema): string => {
  if (format === 'date-time') return EXAMPLE_TIME;
  if (format === 'uri') return 'https://example.org/';
  if (format === 'email') return 'me@example.org';
  return pattern?.includes('40') ? EXAMPLE_ADDRESS : 'text'.padEnd(minLength, 'text');
};

const numberOf = ({ type, minimum = 0, maximum }: Schema): number => {
  if (type === 'number' && maximum === 1) return 0.94;
  if (maximum === 100) return 94;
  return Math.max(minimum, 1);
};

/** Generates values that match schemas. @param schemas the targets of references */
const createExampleOf = (schemas: Readonly<Record<string, Schema>>, extent: Extent) => {
  const objectOf = (schema: Schema, path: readonly string[]): object => {
    const named = Object.entries(schema.properties ?? {}).filter(
      ([name]) => extent === 'all' || schema.required?.includes(name),
    );
    const fields = named.flatMap(([name, field]): [string, unknown][] => {
      const own = [...path, name];
      const found = extent === 'all' ? entryFor(FIELD_EXAMPLES, own) : undefined;
      if (found && found.value === undefined) return [];
      return [[name, found ? found.value : exampleOf(field, own)]];
    });
    const { additionalProperties: others } = schema;
    const isByAddress = typeof others === 'object' && others.$ref !== undefined;
    if (isByAddress) fields.push([EXAMPLE_ADDRESS, exampleOf(others, path)]);
    return Object.fromEntries(fields);
  };

  const exampleOf = (schema: Schema, path: readonly string[]): unknown => {
    const usual = extent === 'required' ? schema.default : undefined;
    const given = schema.example ?? usual ?? schema.const ?? schema.enum?.[0];
    if (given !== undefined) return given;
    const name = schema.$ref?.split('/').at(-1) ?? '';
    const referred = schemas[name];
    if (referred) return exampleOf(referred, [name]);
    const part = schema.allOf?.[0] ?? schema.anyOf?.[0] ?? schema.oneOf?.[0];
    if (part) return exampleOf(part, path);
    const type = typeof schema.type === 'object' ? schema.type[0] : schema.type;
    if (type === 'array') return schema.items ? [exampleOf(schema.items, path)] : [];
    if (type === 'boolean') return true;
    if (type === 'integer' || type === 'number') return numberOf({ ...schema, type });
    return type === 'string' ? textOf(schema) : objectOf(schema, path);
  };
  return exampleOf;
};

const HTTP_ERROR_MIN = 400;

/** Adds examples: of each response, and of the minimal request of each operation. */
export const showExamples = (document: Document): void => {
  const { schemas } = document.components;
  const answerOf = createExampleOf(schemas, 'all');
  const leastOf = createExampleOf(schemas, 'required');
  for (const { operation } of operationsIn(document)) {
    const { operationId, parameters = [], requestBody, responses } = operation;
    for (const parameter of parameters) {
      const { required, name, schema } = parameter;
      if (required && schema) parameter.example ??= leastOf(schema, [operationId, name]);
    }
    const body = requestBody?.content['application/json'];
    if (body?.schema) body.example = leastOf(body.schema, [operationId]);
    for (const [status, { content }] of Object.entries(responses)) {
      const json = content?.['application/json'];
      if (!json?.schema || Number(status) >= HTTP_ERROR_MIN) continue;
      json.example = answerOf(json.schema, [operationId]);
    }
  }
};
