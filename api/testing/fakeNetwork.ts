import type { AlertSettings } from '../../shared/families/alertSettingsStore.ts';
import type { AlertOverrides } from '../../shared/messages/settingsMessage.ts';
import { creatorRisk } from '../../shared/rules/creatorRecord.ts';
import { sampleWebhook } from '../../shared/testing/samples.ts';
import { createFindTarget, type FindTarget } from '../../shared/webhooks/targetAddress.ts';
import type { Delivery } from '../../shared/webhooks/webhook.ts';
import type { ClusterDetail, Clusters } from '../clusters/queries.ts';
import { expandGraph } from '../graph/expandGraph.ts';
import { findPaths } from '../graph/findPaths.ts';
import type { GraphEdge, GraphSource, Graphs, NodeFacts } from '../graph/graph.ts';
import type { Verdict } from '../tokens/verdict.ts';
import { creatorHistory, creatorReputation } from '../wallets/creatorReputation.ts';
import type { Wallet, Wallets } from '../wallets/wallet.ts';
import type { WebhookState, Webhooks } from '../webhooks/webhook.ts';

type Address = Wallet['address'];

/** A wallet that made some tokens, as the database returns it. */
export const walletOf = (address: Address, changes: Partial<Wallet> = {}): Wallet => {
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

/** Wallets in memory; every verdict is of a token made by its creator. */
export const createFakeWallets = (
  verdicts: readonly Verdict[],
  wallets: readonly Wallet[],
): Wallets => {
  const madeBy = (address: Address) =>
    verdicts
      .filter(({ doc }) => doc.creator.address === address)
      .toSorted((a, b) => b.createdAtS - a.createdAtS || (a.token < b.token ? 1 : -1));
  return {
    find: async (address) => wallets.find((wallet) => wallet.address === address),
    tokens: async (address, { limit, offset, after }) => {
      const own = madeBy(address);
      const start = after ? own.findIndex(({ token }) => token === after.id) + 1 : offset;
      return { tokens: own.slice(start, start + limit), total: own.length };
    },
    history: async (address, { fromS = 0, toS = Infinity, limit }) =>
      creatorHistory(
        madeBy(address).map(({ token, createdAtS, blockNumber, prediction }) => ({
          token,
          createdAtS,
          createdBlock: blockNumber,
          createdTx: `0x${'12'.repeat(32)}` as const,
          verdict: { isScam: prediction === 'SCAM', atS: createdAtS + 60, blockNumber },
        })),
      )
        .filter(({ atS }) => atS >= fromS && atS <= toS)
        .toReversed()
        .slice(0, limit),
    scams: async (address) =>
      madeBy(address)
        .filter(({ prediction }) => prediction === 'SCAM')
        .map(({ token, name, symbol, createdAtS }) => ({
          token: { address: token, name, symbol },
          role: 'creator',
          outcome: 'rug_pull' as const,
          atS: createdAtS,
          stolenUsd: 0,
          victims: 0,
          txHash: `0x${'12'.repeat(32)}` as const,
        })),
  };
};

/** Rings in memory; `merged` maps the ids of merged ones to the surviving ones. */
export const createFakeClusters = (
  clusters: readonly ClusterDetail[] = [],
  merged: Readonly<Record<string, string>> = {},
): Clusters => ({
  list: async ({ sizeMin, limit, offset }) => {
    const large = clusters.filter(({ size }) => size >= sizeMin);
    return { clusters: large.slice(offset, offset + limit), total: large.length };
  },
  find: async (id) => {
    const into = merged[id];
    if (into !== undefined) return { kind: 'merged', into };
    const cluster = clusters.find((each) => each.id === id);
    return cluster && { kind: 'found', cluster };
  },
});

/** A source of edges in memory; addresses with more than `hubDegree` edges are hubs. */
export const createFakeGraphSource = (
  edges: readonly GraphEdge[],
  hubDegree = 1_000,
): GraphSource => ({
  neighbours: async (addresses) => {
    const of = (address: Address) =>
      edges.filter(({ source, target }) => source === address || target === address);
    return {
      edges: [...new Set(addresses.flatMap(of))],
      hubs: new Set(addresses.filter((address) => of(address).length > hubDegree)),
      pools: new Set(),
      isCut: false,
    };
  },
});

/** A graph in memory, searched as the real one is. */
export const createFakeGraphs = (
  edges: readonly GraphEdge[],
  known: readonly NodeFacts[],
): Graphs => {
  const source = createFakeGraphSource(edges);
  const describe = (address: Address): NodeFacts =>
    known.find((node) => node.address === address) ?? { address, kind: 'wallet', label: address };
  return {
    around: async (center, options) => {
      const kind = known.find((node) => node.address === center)?.kind;
      if (!kind || (options.only && kind !== options.only)) return undefined;
      const found = await expandGraph(source, center, options);
      return {
        center,
        kind,
        nodes: found.addresses.map(describe),
        edges: found.edges,
        isTruncated: found.isTruncated,
      };
    },
    paths: async (from, to, options) => {
      const isOver = () => options.signal.aborted;
      const found = await findPaths(source, from, to, { ...options, isOver });
      const shown = [...new Set([from, to, ...found.paths.flatMap(({ nodes }) => nodes)])];
      return { ...found, nodes: shown.map(describe) };
    },
  };
};

/** Settings in memory. */
export const createFakeAlertSettings = (): AlertSettings => {
  const stored = new Map<string, AlertOverrides>();
  return {
    read: async (family) => stored.get(family) ?? {},
    update: async (family, change) => {
      const overrides = change(stored.get(family) ?? {});
      stored.set(family, overrides);
      return overrides;
    },
  };
};

/** Target checks by the real rules; `inside.test` is a private address, other hosts are public. */
export const fakeFindTarget: FindTarget = createFindTarget({
  allowPrivate: false,
  resolve: async (host) => [
    { address: host === 'inside.test' ? '10.0.0.1' : '93.184.216.34', family: 4 },
  ],
});

const numbered = (count: number): string => String(count).padStart(26, '0');

const DELIVERED = {
  attempt: 1,
  status: 'delivered',
  httpStatus: 200,
  error: null,
  durationMs: 3,
  nextAttemptAtMs: null,
  payload: '{}',
} as const;

/** Webhooks in memory; every receiver answers 200. */
export const createFakeWebhooks = (nowMs: number): Webhooks => {
  const webhooks: WebhookState[] = [];
  const deliveries: Delivery[] = [];
  const find = (family: string, id: string) =>
    webhooks.findIndex((webhook) => webhook.family === family && webhook.id === id);
  const edit = (family: string, id: string, change: Partial<WebhookState>) => {
    const index = find(family, id);
    const before = webhooks[index];
    if (!before) return undefined;
    const after = { ...before, ...change, version: before.version + 1 };
    webhooks[index] = after;
    return after;
  };
  const deliver = (family: string, id: string, event: Pick<Delivery, 'eventId' | 'type'>) => {
    if (find(family, id) < 0) return undefined;
    const { eventId, type } = event;
    const place = { family, webhookId: id, id: `dl_${numbered(deliveries.length + 1)}` };
    const delivery: Delivery = { ...DELIVERED, ...place, eventId, type, createdAtMs: nowMs };
    deliveries.push(delivery);
    return delivery;
  };
  return {
    list: async (family) => webhooks.filter((webhook) => webhook.family === family),
    find: async (family, id) => webhooks[find(family, id)],
    create: async (family, choice, webhooksMax) => {
      if (webhooks.filter((each) => each.family === family).length >= webhooksMax) return undefined;
      const { secret = `whsec_${'A'.repeat(43)}=`, ...chosen } = choice;
      const place = { family, id: `wh_${numbered(webhooks.length + 1)}`, createdAtMs: nowMs };
      const state = { secret: 'sealed', lastDeliveryAtMs: null, failureCount: 0 };
      const webhook: WebhookState = { ...sampleWebhook(), ...chosen, ...place, ...state };
      webhooks.push(webhook);
      return { webhook, secret };
    },
    change: async (family, id, change) => {
      const given = Object.entries(change).filter(([, value]) => value !== undefined);
      return edit(family, id, Object.fromEntries(given));
    },
    remove: async (family, id) => {
      const index = find(family, id);
      if (index >= 0) webhooks.splice(index, 1);
      return index >= 0;
    },
    rotateSecret: async (family, id) => {
      const webhook = edit(family, id, { previousSecret: 'sealed' });
      return webhook && { webhook, secret: `whsec_${'B'.repeat(43)}=` };
    },
    test: async (family, id) =>
      deliver(family, id, { eventId: `msg_${numbered(1)}`, type: 'webhook.test' }),
    redeliver: async (family, id, deliveryId) => {
      const earlier = deliveries.find(
        (each) => each.family === family && each.webhookId === id && each.id === deliveryId,
      );
      return earlier && deliver(family, id, earlier);
    },
    deliveries: async ({ family, webhookId, status, limit, beforeId }) => {
      const own = deliveries
        .filter((each) => each.family === family && each.webhookId === webhookId)
        .filter((each) => each.status === (status ?? each.status))
        .toReversed();
      const rest = own.filter(({ id }) => beforeId === undefined || id < beforeId);
      return { deliveries: rest.slice(0, limit), total: own.length };
    },
  };
};
