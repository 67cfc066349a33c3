import type {
  AnalysisJob,
  TokenB,
  TokenDetail,
  TokenListEntry,
  TokenLocks,
} from '../tokens/schema.ts';

/** Values shown in the documentation. Each is checked against its schema by a test. */
export const EXAMPLE_ADDRESS = '0x1f981f981f981f981f981f981f981f981f981f98';
export const EXAMPLE_TIME = '2026-11-21T05:30:00Z';
/** `pagination` of a page of style B that holds one entry. */
export const examplePage = (limit: number) => ({
  total: 1,
  limit,
  offset: 0,
  page: null,
  has_more: false,
  next_cursor: null,
});
const HASH = `0x${'ab'.repeat(32)}`;

export const exampleListEntry: TokenListEntry = {
  address: EXAMPLE_ADDRESS,
  name: 'Moon Pepe',
  symbol: 'MPEPE',
  prediction: 'SCAM',
  confidence: 94,
  risk_score: 94,
  certainty: 'clear',
  advice: 'avoid',
  model: 'gbdt-onnx-1.0',
  created_at: '2026-11-20T18:02:11Z',
  analyzed_at: EXAMPLE_TIME,
};

export const exampleDetail: TokenDetail = {
  ...exampleListEntry,
  features: {
    holder_count: 212,
    transaction_count: 1804,
    liquidity_usd: 15_230.5,
    top_10_concentration: 0.81,
    creator_risk_score: 88,
  },
  shap_values: { top_10_concentration: 0.62, creator_risk_score: 0.41, holder_count: -0.12 },
  creator: {
    address: '0xd8dad8dad8dad8dad8dad8dad8dad8dad8dad8da',
    risk_score: 88,
    tokens_created: 17,
    scam_rate: 0.82,
  },
  base_value: -0.4,
  reasons: [{ check: 'sell_simulation', text: 'A simulated sell reverts at block 24811234.' }],
  checks: [
    {
      id: 'sell_simulation',
      status: 'fail',
      severity: 'critical',
      value: 1,
      reason: 'A simulated sell reverts at block 24811234.',
      evidence: [{ kind: 'call', ref: 'eth_call@24811234', note: 'TRANSFER_FROM_FAILED' }],
    },
    {
      id: 'source_verified',
      status: 'unknown',
      severity: 'info',
      reason: 'No source registry is configured.',
    },
  ],
  provenance: {
    chain_id: 1,
    block_number: 24_811_234,
    block_hash: HASH,
    bytecode_hash: `0x${'cd'.repeat(32)}`,
    model: 'gbdt-onnx-1.0',
    model_sha256: 'e3b0c442'.padEnd(64, '0'),
    features_sha256: '9f86d081'.padEnd(64, '0'),
    coverage: 0.93,
  },
  cluster_id: null,
};

export const exampleLocks: TokenLocks = {
  address: EXAMPLE_ADDRESS,
  lp_locked_share: 0.95,
  lp_unlock_at: '2027-11-21T00:00:00Z',
  supply_locked_share: null,
  locks: [
    {
      kind: 'liquidity',
      locker: '0x663a5c229c09b049e36dcc11a9b0d4a8eb9db214',
      lock_id: '0',
      asset: '0x9a19a19a19a19a19a19a19a19a19a19a19a19a19',
      position: null,
      market: '0x9a19a19a19a19a19a19a19a19a19a19a19a19a19',
      owner: '0xd8dad8dad8dad8dad8dad8dad8dad8dad8dad8da',
      amount: '950000000000000000000',
      share: 0.95,
      locked_at: EXAMPLE_TIME,
      locked_tx: HASH,
      unlock_at: '2027-11-21T00:00:00Z',
      extended: 0,
      withdrawn: '0',
      state: 'locked',
      belief: 'behaviour',
    },
  ],
};

export const exampleTokenB: TokenB = {
  address: EXAMPLE_ADDRESS,
  name: 'Moon Pepe',
  symbol: 'MPEPE',
  is_rug: true,
  confidence: 0.94,
  risk_score: 94.12,
  risk_level: 'CRITICAL',
  certainty: 'clear',
  advice: 'avoid',
};

export const exampleJob: AnalysisJob = {
  address: EXAMPLE_ADDRESS,
  status: 'analyzing',
  estimated_time: 5,
  job_id: 'job_01JD6Q4M3Z9K7W2X5T8V1N0P4R',
};
