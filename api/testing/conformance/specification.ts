/** What the specification shows of the answer of an operation: fields of `data` (`[]`: of each entry). */
export interface SpecificationRow {
  readonly name: string;
  readonly status: number;
  readonly data: readonly (readonly [field: string, type: string])[];
}

type Fields = readonly (readonly [field: string, type: string])[];
const each = (list: string, fields: Fields): Fields => [
  [list, 'array of object'],
  ...fields.map(([name, type]) => [`${list}.[].${name}`, type] as const),
];
const entriesOf = (fields: Fields): Fields =>
  fields.map(([name, type]) => [`[].${name}`, type] as const);
const PAGE: Fields = [
  ['total', 'integer'],
  ['limit', 'integer'],
  ['offset', 'integer'],
];
const MESSAGE: Fields = [['message', 'string']];
const RISK_LEVEL = 'LOW, MEDIUM, HIGH, CRITICAL';

const TOKEN_ENTRY: Fields = [
  ['address', 'string'],
  ['name', 'string'],
  ['symbol', 'string'],
  ['prediction', 'SCAM, LEGIT'],
  ['confidence', 'integer'],
  ['risk_score', 'integer'],
  ['model', 'string'],
  ['created_at', 'string'],
  ['analyzed_at', 'string'],
];
const TOKEN_DETAIL: Fields = [
  ...TOKEN_ENTRY,
  ['features.holder_count', 'number'],
  ['features.transaction_count', 'number'],
  ['features.liquidity_usd', 'number'],
  ['features.top_10_concentration', 'number'],
  ['features.creator_risk_score', 'number'],
  ['shap_values', 'map of number'],
  ['creator.address', 'string'],
  ['creator.risk_score', 'integer'],
  ['creator.tokens_created', 'integer'],
  ['creator.scam_rate', 'number'],
];
const TOKEN_B: Fields = [
  ['address', 'string'],
  ['name', 'string'],
  ['symbol', 'string'],
  ['is_rug', 'boolean'],
  ['confidence', 'number'],
  ['risk_score', 'number'],
  ['risk_level', RISK_LEVEL],
];
const JOB: Fields = [
  ['address', 'string'],
  ['status', 'analyzing, completed, failed'],
  ['estimated_time', 'integer'],
  ['job_id', 'string'],
];
const WALLET: Fields = [
  ['address', 'string'],
  ['risk_score', 'integer'],
  ['role', 'string'],
  ['tokens_created', 'integer'],
  ['scam_rate', 'number'],
  ['total_value_stolen', 'number'],
  ['victims', 'integer'],
  ['first_seen', 'string'],
  ['last_activity', 'string'],
  ['cluster_id', 'string'],
  ['is_known_scammer', 'boolean'],
];
const CLUSTER_STATISTICS: Fields = [
  ['size', 'integer'],
  ['tokens_created', 'integer'],
  ['scam_rate', 'number'],
  ['total_stolen', 'number'],
  ['victims', 'integer'],
];
const WATCH: Fields = [
  ['id', 'integer'],
  ['type', 'token, wallet'],
  ['address', 'string'],
  ['alerts', 'array of string'],
  ['sensitivity', 'low, medium, high'],
  ['created_at', 'string'],
];
const ALERT: Fields = [
  ['id', 'integer'],
  ['type', 'string'],
  ['severity', 'critical, warning, info'],
  ['token.address', 'string'],
  ['token.name', 'string'],
  ['token.symbol', 'string'],
  ['details', 'object'],
  ['recommendation', 'string'],
  ['read', 'boolean'],
  ['created_at', 'string'],
];

/** Operations in the order of the specification; those that remove something come last. */
export const SPECIFICATION: readonly SpecificationRow[] = [
  { name: 'GET /tokens', status: 200, data: [...each('tokens', TOKEN_ENTRY), ...PAGE] },
  { name: 'GET /tokens/{address}', status: 200, data: TOKEN_DETAIL },
  { name: 'POST /tokens/analyze', status: 201, data: JOB },
  {
    name: 'GET /tokens/analyze/{job_id}',
    status: 200,
    data: [...JOB, ...TOKEN_DETAIL.map(([name, type]) => [`token.${name}`, type] as const)],
  },
  {
    name: 'GET /tokens/{address}/network',
    status: 200,
    data: [
      ...each('nodes', [
        ['id', 'string'],
        ['type', 'token, wallet'],
        ['label', 'string'],
      ]),
      ...each('edges', [
        ['source', 'string'],
        ['target', 'string'],
        ['type', 'string'],
        ['weight', 'number'],
      ]),
    ],
  },
  { name: 'GET /api/tokens', status: 200, data: entriesOf(TOKEN_B) },
  { name: 'GET /api/tokens/{address}', status: 200, data: TOKEN_B },
  { name: 'POST /api/predict/{address}', status: 200, data: [] },
  { name: 'POST /api/tokens/batch', status: 200, data: [] },
  { name: 'GET /wallets/{address}', status: 200, data: WALLET },
  {
    name: 'GET /wallets/{address}/tokens',
    status: 200,
    data: [
      ...each('tokens', [
        ['address', 'string'],
        ['name', 'string'],
        ['symbol', 'string'],
        ['prediction', 'SCAM, LEGIT'],
        ['confidence', 'integer'],
        ['created_at', 'string'],
      ]),
      ...PAGE,
    ],
  },
  { name: 'GET /api/wallets/{address}', status: 200, data: [] },
  { name: 'GET /api/wallets/{address}/reputation', status: 200, data: [] },
  { name: 'GET /api/wallet/{address}', status: 200, data: [] },
  { name: 'GET /api/wallet/{address}/tokens', status: 200, data: [] },
  { name: 'GET /api/wallet/{address}/reputation', status: 200, data: [] },
  {
    name: 'GET /clusters',
    status: 200,
    data: [
      ...each('clusters', [
        ['id', 'string'],
        ['name', 'string'],
        ['risk_score', 'integer'],
        ...CLUSTER_STATISTICS,
      ]),
      ...PAGE,
    ],
  },
  {
    name: 'GET /clusters/{id}',
    status: 200,
    data: [
      ['id', 'string'],
      ['name', 'string'],
      ...each('wallets', [
        ['address', 'string'],
        ['role', 'master, puppet'],
        ['risk_score', 'integer'],
      ]),
      ...each('tokens', [
        ['address', 'string'],
        ['name', 'string'],
        ['prediction', 'SCAM, LEGIT'],
        ['confidence', 'integer'],
      ]),
      ...CLUSTER_STATISTICS.map(([name, type]) => [`statistics.${name}`, type] as const),
    ],
  },
  {
    name: 'GET /watchlist',
    status: 200,
    data: [
      ...each('items', [...WATCH, ['name', 'string']]),
      ['total', 'integer'],
      ['limit', 'integer'],
    ],
  },
  { name: 'POST /watchlist', status: 201, data: WATCH },
  { name: 'GET /api/watchlist', status: 200, data: [] },
  { name: 'POST /api/watchlist', status: 201, data: WATCH },
  {
    name: 'GET /alerts',
    status: 200,
    data: [...each('alerts', ALERT), ['total', 'integer'], ['unread', 'integer']],
  },
  { name: 'POST /alerts/{id}/read', status: 200, data: MESSAGE },
  { name: 'GET /api/alerts', status: 200, data: entriesOf(ALERT) },
  { name: 'POST /api/alerts/configure', status: 200, data: [] },
  {
    name: 'GET /stats',
    status: 200,
    data: [
      ['tokens_analyzed', 'integer'],
      ['scam_rate', 'number'],
      ['accuracy', 'number'],
      ['wallets_tracked', 'integer'],
      ['clusters_detected', 'integer'],
      ['total_saved', 'number'],
    ],
  },
  {
    name: 'GET /api/health',
    status: 200,
    data: [
      ['status', 'healthy'],
      ['timestamp', 'string'],
    ],
  },
  { name: 'GET /api/graph/token/{address}', status: 200, data: [] },
  { name: 'GET /api/graph/wallet/{address}', status: 200, data: [] },
  { name: 'GET /api/graph/{address}', status: 200, data: [] },
  { name: 'GET /api/graph/path', status: 200, data: [] },
  { name: 'POST /api/reports/generate/{address}', status: 201, data: [] },
  { name: 'GET /api/search', status: 200, data: [] },
  { name: 'POST /api/search/advanced', status: 200, data: [] },
  { name: 'DELETE /watchlist/{id}', status: 200, data: MESSAGE },
  { name: 'DELETE /api/watchlist/{address}', status: 200, data: MESSAGE },
];
