import type { GraphEdgeBody, GraphNodeBody } from '../graph/schema.ts';
import { EXAMPLE_ADDRESS, EXAMPLE_TIME } from '../server/examples.ts';
import type { WalletEntry, WalletReputation } from './schema.ts';

/** Values shown in the documentation. Each is checked against its schema by a test. */
export const EXAMPLE_WALLET = '0xd8dad8dad8dad8dad8dad8dad8dad8dad8dad8da';
export const EXAMPLE_PUPPET = '0xbe0ebe0ebe0ebe0ebe0ebe0ebe0ebe0ebe0ebe0e';
export const EXAMPLE_TX = `0x${'12'.repeat(32)}`;
const CREATED_TIME = '2026-11-20T18:02:11Z';

export const exampleWallet: WalletEntry = {
  address: EXAMPLE_WALLET,
  risk_score: 88,
  role: 'creator',
  tokens_created: 17,
  scam_rate: 0.82,
  total_value_stolen: 412_300.75,
  victims: 934,
  first_seen: '2025-03-02T11:00:00Z',
  last_activity: EXAMPLE_TIME,
  cluster_id: 'cl_7f3a',
  is_known_scammer: true,
};

export const exampleFactor = {
  id: 'scam_rate',
  value: 0.82,
  contribution: -41,
  text: '14 of 17 tokens created were scams.',
};

const { history, ...reputation }: WalletReputation = {
  address: EXAMPLE_WALLET,
  reputation_score: 9,
  level: 'MALICIOUS',
  risk_score: 88,
  risk_level: 'CRITICAL',
  confidence: 0.97,
  is_known_scammer: true,
  labels: ['serial_deployer', 'ring_master'],
  factors: [exampleFactor],
  first_seen: '2025-03-02T11:00:00Z',
  last_activity: EXAMPLE_TIME,
  updated_at: EXAMPLE_TIME,
  history: [
    {
      at: CREATED_TIME,
      block_number: 24_801_000,
      score: 9,
      delta: -11,
      event: 'token_flagged',
      token: EXAMPLE_ADDRESS,
      tx_hash: EXAMPLE_TX,
    },
  ],
};
export const exampleReputation = reputation;
export const exampleReputationHistory = history;

export const exampleEdge: GraphEdgeBody = {
  source: `wallet_${EXAMPLE_WALLET}`,
  target: `token_${EXAMPLE_ADDRESS}`,
  type: 'created',
  weight: 1,
  tx_count: 1,
  first_at: CREATED_TIME,
  last_at: CREATED_TIME,
  tx_hash: EXAMPLE_TX,
};

export const exampleWalletNode: GraphNodeBody = {
  id: `wallet_${EXAMPLE_WALLET}`,
  type: 'wallet',
  label: '0xd8da…d8da',
  risk_score: 88,
  cluster_id: 'cl_7f3a',
};

export const exampleTokenNode: GraphNodeBody = {
  id: `token_${EXAMPLE_ADDRESS}`,
  type: 'token',
  label: 'MPEPE',
  prediction: 'SCAM',
  confidence: 0.94,
  is_rug: true,
  is_center: true,
};
