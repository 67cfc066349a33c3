import type { Hex } from '../../shared/chain/block.ts';
import { type Tier } from '../../shared/families/tier.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { creatorRisk } from '../../shared/rules/creatorRecord.ts';
import type { Gatekeeper, QuotaState } from '../accounts/admission.ts';
import { generateKey } from '../accounts/keyFormat.ts';
import { DEFAULT_PLANS } from '../accounts/plans.ts';
import type { Observation } from '../health/assessHealth.ts';
import type { Health } from '../health/createHealth.ts';
import type { AppPorts } from '../server/app.ts';
import type { Verdict } from '../tokens/verdict.ts';
import { creatorReputation } from '../wallets/creatorReputation.ts';
import type { Wallet } from '../wallets/wallet.ts';
import { createFakeTokens, healthyObservation } from './fakeTokens.ts';

/** The time of every fake clock. */
export const NOW_MS = Date.parse('2026-11-21T05:30:00Z');

/** The address with all bytes equal to `byte`. */
export const addressOf = (byte: number): Hex =>
  `0x${byte.toString(16).padStart(2, '0').repeat(20)}`;

/** A verdict like the scorer's. */
export const verdictOf = (token: Hex, changes: Partial<Verdict> = {}): Verdict => ({
  token,
  name: 'Moon Pepe',
  symbol: 'MPEPE',
  prediction: 'SCAM',
  confidence: 0.945,
  riskScore: 94.5,
  model: 'gbdt-onnx-1.0',
  createdAtS: Math.floor(NOW_MS / 1000) - 3_600,
  analyzedAtMs: NOW_MS - 60_000,
  blockNumber: 17,
  doc: {
    v: 1,
    features: {
      holder_count: 212,
      transaction_count: 1804,
      liquidity_usd: 15_230.5,
      top_10_concentration: 0.81,
      creator_risk_score: 88,
      ageS: 60,
    },
    shap_values: { holder_count: -0.1, ageS: 0.2 },
    base_value: -0.4,
    margin: -0.3,
    probability: 0.945,
    creator: { address: addressOf(0xcc), risk_score: 88, tokens_created: 17, scam_rate: 0.82 },
    checks: [{ id: 'sell_simulation', status: 'unknown', severity: 'info', reason: 'No node.' }],
    provenance: {
      chain_id: 1,
      block_number: 17,
      block_hash: `0x${'ab'.repeat(32)}`,
      bytecode_hash: `0x${'cd'.repeat(32)}`,
      model: 'gbdt-onnx-1.0',
      model_sha256: '0'.repeat(64),
      features_sha256: '1'.repeat(64),
      coverage: 0.9,
    },
  },
  clusterId: null,
  ...changes,
});

/** A wallet that created some tokens, as the database returns it. */
export const walletOf = (address: Hex, changes: Partial<Wallet> = {}): Wallet => {
  const record = { tokens: 3, scored: 3, scams: 2 };
  return {
    address,
    role: 'creator',
    isKnownScammer: true,
    riskScore: creatorRisk(record),
    tokensCreated: record.tokens,
    scams: record.scams,
    stolenUsd: 0,
    victims: 0,
    clusterId: null,
    firstSeenS: 1_700_000_000,
    lastActivityS: 1_700_100_000,
    reputation: creatorReputation(record),
    funding: null,
    behaviours: [{ id: 'tokens_created', text: 'Created a token', count: 3 }],
    medianTokenLifetimeH: null,
    counterparties: 1,
    updatedAtMs: 1_700_100_000_000,
    ...changes,
  };
};

/** A gatekeeper in memory in which keys can be created. */
const createFakeGatekeeper = () => {
  const keys = new Map<string, { family: string; tier: Tier }>();
  const used = new Map<string, number>();
  const quotaOf = (family: string, tier: Tier): QuotaState => ({
    tier,
    dayLimit: DEFAULT_PLANS[tier].perDay,
    dayRemaining: Math.max(0, DEFAULT_PLANS[tier].perDay - (used.get(family) ?? 0)),
    dayResetS: Math.floor(NOW_MS / 1000) + 66_600,
    minuteLimit: DEFAULT_PLANS[tier].perMinute,
    minuteRemaining: DEFAULT_PLANS[tier].perMinute,
    minuteResetS: 0,
    nowS: Math.floor(NOW_MS / 1000),
  });
  const gatekeeper: Gatekeeper = {
    admit: async (key, units) => {
      const known = keys.get(key);
      if (!known) return { kind: 'unknown' };
      const { family, tier } = known;
      if (quotaOf(family, tier).dayRemaining < units.day) {
        const quota = quotaOf(family, tier);
        return { kind: 'limited', policy: 'day', retryAfterS: 66_600, quota };
      }
      used.set(family, (used.get(family) ?? 0) + units.day);
      return {
        kind: 'admitted',
        caller: { keyId: `key_${family}`, family, tier },
        quota: quotaOf(family, tier),
      };
    },
    issueTicket: async () => ({ ticket: `tkt_${'x'.repeat(43)}`, expiresAtMs: NOW_MS + 60_000 }),
    admitTicket: async () => ({ kind: 'unknown' }),
    charge: async ({ family, tier }, units) => {
      const isTaken = quotaOf(family, tier).dayRemaining >= units;
      if (isTaken) used.set(family, (used.get(family) ?? 0) + units);
      return { isTaken, quota: quotaOf(family, tier) };
    },
    refund: async (family, units) => {
      used.set(family, (used.get(family) ?? 0) - units);
    },
  };
  return {
    gatekeeper,
    /** A new key of a family of its own. */
    add: (tier: Tier = 'pro') => {
      const key = generateKey();
      const family = `fam_${keys.size + 1}`;
      keys.set(key, { family, tier });
      return { key, family };
    },
    use: (family: string, units: number) => used.set(family, units),
    used: (family: string): number => used.get(family) ?? 0,
  };
};

/** Observed health: that of a service with all parts working, unless the test says otherwise. */
export const createFakeHealth = (changes: Partial<Observation> = {}): Health => {
  const observation = { ...healthyObservation(NOW_MS), ...changes };
  const { checks } = observation;
  return {
    needed: async () => {
      const { nats: _nats, ...needed } = checks;
      return needed;
    },
    checks: async () => checks,
    observe: async () => observation,
  };
};

const VERDICTS = [
  verdictOf(addressOf(1)),
  verdictOf(addressOf(2), { prediction: 'LEGIT', confidence: 0.6, riskScore: 40 }),
  verdictOf(addressOf(3), { confidence: 0.6, riskScore: 60 }),
];

/** A port that returns nothing: reads and writes of stored data are tested on real servers. */
const absent = <Port extends object>(name: string): Port =>
  new Proxy({} as Port, {
    get: (_, member) => () => {
      throw new Error(`${name}.${String(member)} has no answer here`);
    },
  });

/** Dependencies for serving tokens and statistics, in memory; parts can be replaced. */
export const createFakePorts = (changes: Partial<AppPorts> = {}) => {
  const keys = createFakeGatekeeper();
  const ports: AppPorts = {
    gatekeeper: keys.gatekeeper,
    idempotency: absent('idempotency'),
    tokens: createFakeTokens(VERDICTS),
    jobs: absent('jobs'),
    watchlist: absent('watchlist'),
    alerts: absent('alerts'),
    alertSettings: absent('alertSettings'),
    wallets: absent('wallets'),
    clusters: absent('clusters'),
    graphs: absent('graphs'),
    history: absent('history'),
    feedback: absent('feedback'),
    usage: { record: () => undefined, hours: async () => [] },
    reports: absent('reports'),
    search: absent('search'),
    webhooks: absent('webhooks'),
    mailConfirmations: absent('mailConfirmations'),
    streams: absent('streams'),
    findTarget: () => Promise.reject(new Error('targets are not looked up here')),
    stats: {
      read: async () => ({
        tokens_analyzed: 3,
        scam_rate: 2 / 3,
        accuracy: 0.9,
        accuracy_source: 'measured',
        accuracy_samples: 10,
        wallets_tracked: 1,
        clusters_detected: 0,
        total_saved: 12.5,
      }),
    },
    health: createFakeHealth(),
    exports: absent('exports'),
    plans: DEFAULT_PLANS,
    clock: { now: () => NOW_MS, sleep: async () => undefined },
    logger: silentLogger,
    chainId: 1,
    baseUrl: 'http://api.test',
    ...changes,
  };
  return { ports, keys };
};
