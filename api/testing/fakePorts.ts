import { Readable } from 'node:stream';
import type { Hex } from '../../shared/chain/block.ts';
import { type Tier } from '../../shared/families/tier.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import type { Gatekeeper, QuotaState } from '../accounts/admission.ts';
import { generateKey } from '../accounts/keyFormat.ts';
import { DEFAULT_PLANS } from '../accounts/plans.ts';
import type { Alerts } from '../alerts/createAlerts.ts';
import type { FamilyAlert } from '../alerts/queries.ts';
import type { Observation } from '../health/assessHealth.ts';
import type { Health } from '../health/createHealth.ts';
import type { AppPorts } from '../server/app.ts';
import type { Idempotency, StoredReply } from '../server/middleware/idempotency.ts';
import type { Jobs } from '../tokens/jobs.ts';
import type { Verdict } from '../tokens/verdict.ts';
import type { Watchlist } from '../watchlist/createWatchlist.ts';
import {
  createFakeAlertSettings,
  createFakeClusters,
  createFakeGraphs,
  createFakeWallets,
  createFakeWebhooks,
  fakeFindTarget,
  walletOf,
} from './fakeNetwork.ts';
import {
  createFakeStreams,
  createFakeTokenPorts,
  createFakeTokens,
  healthyObservation,
} from './fakeTokens.ts';

/** The moment every fake clock shows. */
export const NOW_MS = Date.parse('2026-11-21T05:30:00Z');

/** The address whose bytes all are `byte`. */
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

/** A gatekeeper in memory with keys that can be made and revoked. */
const createFakeGatekeeper = () => {
  const keys = new Map<string, { family: string; tier: Tier; state: 'active' | 'expired' }>();
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
      if (known.state === 'expired') return { kind: 'expired' };
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
    add: (tier: Tier = 'pro', state: 'active' | 'expired' = 'active') => {
      const key = generateKey();
      const family = `fam_${keys.size + 1}`;
      keys.set(key, { family, tier, state });
      return { key, family };
    },
    revoke: (key: string) => keys.delete(key),
    use: (family: string, units: number) => used.set(family, units),
    used: (family: string): number => used.get(family) ?? 0,
  };
};

const createFakeJobs = (): Jobs => {
  const records = new Map<string, Awaited<ReturnType<Jobs['start']>>['record']>();
  return {
    start: async ({ family, token, force, analyzedAtMs }) => {
      const jobId = `job_${String(records.size + 1).padStart(26, '0')}`;
      const isFresh = analyzedAtMs !== undefined && !force;
      const status = isFresh ? ('completed' as const) : ('analyzing' as const);
      const record = { jobId, family, chainId: 1, token, status, createdAtMs: NOW_MS };
      records.set(jobId, record);
      return { record, isNew: !isFresh };
    },
    find: async (family, jobId) => {
      const record = records.get(jobId);
      return record?.family === family ? record : undefined;
    },
  };
};

/** Health as it is observed: that of a service whose parts all work, where the test does not say otherwise. */
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

const createFakeWatchlist = (): Watchlist => {
  let items: Awaited<ReturnType<Watchlist['list']>>['items'] = [];
  let lastId = 0;
  return {
    list: async ({ family, type, limit, offset, before }) => {
      const own = items.filter(
        (item) => item.family === family && item.type === (type ?? item.type),
      );
      const rest =
        before === undefined
          ? own.toReversed().slice(offset)
          : own.toReversed().filter(({ id }) => id < before.id);
      return { items: rest.slice(0, limit), total: own.length };
    },
    add: async (watch, itemsMax) => {
      const own = items.filter(({ family }) => family === watch.family);
      const existing = own.find(
        ({ type, address }) => type === watch.type && address === watch.address,
      );
      if (existing) return { kind: 'exists', item: existing };
      if (own.length >= itemsMax) return { kind: 'full' };
      lastId += 1;
      const item = { ...watch, id: lastId, createdAtMs: NOW_MS };
      items.push(item);
      return { kind: 'added', item };
    },
    remove: async (family, id) => {
      const before = items.length;
      items = items.filter((item) => item.family !== family || item.id !== id);
      return items.length < before;
    },
    removeAddress: async (family, address, types) => {
      const before = items.length;
      items = items.filter(
        (item) => item.family !== family || item.address !== address || !types.includes(item.type),
      );
      return before - items.length;
    },
  };
};

const createFakeAlerts = (alerts: readonly FamilyAlert[]): Alerts => ({
  list: async ({ limit, offset, after, isRead, type, severity }) => {
    const own = alerts.filter(
      (alert) =>
        alert.isRead === (isRead ?? alert.isRead) &&
        alert.type === (type ?? alert.type) &&
        alert.severity === (severity ?? alert.severity),
    );
    const start = after ? own.findIndex(({ id }) => String(id) === after.id) + 1 : offset;
    const unread = alerts.filter((alert) => !alert.isRead).length;
    return { alerts: own.slice(start, start + limit), total: own.length, unread };
  },
  isKnown: async (_family, id) => alerts.some((alert) => alert.id === id),
  markRead: async (_family, id) => alerts.some((alert) => alert.id === id),
});

const createFakeIdempotency = (): Idempotency => {
  const stored = new Map<string, { bodyHash: string; reply?: StoredReply }>();
  return {
    begin: async (scope, bodyHash) => {
      const earlier = stored.get(scope);
      if (!earlier) {
        stored.set(scope, { bodyHash });
        return { kind: 'new' };
      }
      if (earlier.bodyHash !== bodyHash) return { kind: 'mismatch' };
      return earlier.reply ? { kind: 'replay', reply: earlier.reply } : { kind: 'running' };
    },
    renew: async () => undefined,
    finish: async (scope, bodyHash, reply) => {
      stored.set(scope, { bodyHash, reply });
    },
    abandon: async (scope) => {
      stored.delete(scope);
    },
  };
};

const ALERT: FamilyAlert = {
  id: 9001,
  chainId: 1,
  watchId: 41,
  type: 'rug_pull',
  severity: 'critical',
  token: { address: addressOf(1), name: 'Moon Pepe', symbol: 'MPEPE' },
  details: { liquidity_change: -0.97, block_number: 17 },
  recommendation: 'SELL_IMMEDIATELY',
  isRead: false,
  createdAtMs: NOW_MS,
};

const VERDICTS = [
  verdictOf(addressOf(1)),
  verdictOf(addressOf(2), { prediction: 'LEGIT', confidence: 0.6, riskScore: 40 }),
  verdictOf(addressOf(3), { confidence: 0.6, riskScore: 60 }),
];

/** A clock that only sleeping moves. */
const createFakeClock = (): Clock => {
  let nowMs = NOW_MS;
  return {
    now: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
    },
  };
};

/** Everything the application needs, in memory; parts can be replaced. */
export const createFakePorts = (changes: Partial<AppPorts> = {}) => {
  const keys = createFakeGatekeeper();
  const ports: AppPorts = {
    gatekeeper: keys.gatekeeper,
    idempotency: createFakeIdempotency(),
    tokens: createFakeTokens(VERDICTS),
    jobs: createFakeJobs(),
    watchlist: createFakeWatchlist(),
    alerts: createFakeAlerts([ALERT]),
    alertSettings: createFakeAlertSettings(),
    wallets: createFakeWallets(VERDICTS, [walletOf(addressOf(0xcc))]),
    clusters: createFakeClusters(),
    graphs: createFakeGraphs(
      [
        {
          source: addressOf(0xcc),
          target: addressOf(1),
          type: 'created',
          weight: 1,
          txCount: 1,
          tokens: [addressOf(1)],
        },
      ],
      [
        {
          address: addressOf(1),
          kind: 'token',
          label: 'MPEPE',
          verdict: { prediction: 'SCAM', confidence: 0.945 },
        },
        { address: addressOf(0xcc), kind: 'wallet', label: '0xcccc…cccc', riskScore: 60 },
      ],
    ),
    ...createFakeTokenPorts(VERDICTS, NOW_MS),
    webhooks: createFakeWebhooks(NOW_MS),
    mailConfirmations: {
      waitS: async () => 0,
      ask: async () => undefined,
      confirm: async () => true,
      stop: async () => true,
    },
    streams: createFakeStreams(),
    findTarget: fakeFindTarget,
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
    exports: { open: async () => Readable.from([Buffer.from('PAR1')]) },
    plans: DEFAULT_PLANS,
    clock: createFakeClock(),
    logger: silentLogger,
    chainId: 1,
    baseUrl: 'http://api.test',
    ...changes,
  };
  return { ports, keys };
};
