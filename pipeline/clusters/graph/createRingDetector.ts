import type { Hex } from '../../../shared/chain/block.ts';
import type { BlockFacts, Deployment, ValueEdge } from './facts.ts';
import type { Evidence, Ring, RingChanges, RingMember } from './ring.ts';
import type { DetectorOptions, FirstFunding, KnownRing, RingDetector } from './ringDetector.ts';

const HUB_COUNTERPARTIES_MIN = 250;
const FUNDING_WEIGHT = 3;

interface State {
  readonly options: DetectorOptions;
  readonly blocks: Map<Hex, BlockFacts>;
  readonly judged: Map<Hex, boolean>;
  rings: Map<string, Ring>;
}

interface Link {
  readonly from: Hex;
  readonly to: Hex;
  readonly edge: ValueEdge;
  readonly block: number;
}

const inOrder = (state: State): BlockFacts[] =>
  [...state.blocks.values()].sort((a, b) => a.block.number - b.block.number);

const hubsOf = (state: State): Set<Hex> => {
  const hubs = new Set<Hex>(state.options.hubs ?? []);
  const counterparties = new Map<Hex, Set<Hex>>();
  for (const { edges } of state.blocks.values()) {
    for (const { from, to } of edges) {
      counterparties.set(from, (counterparties.get(from) ?? new Set()).add(to));
      counterparties.set(to, (counterparties.get(to) ?? new Set()).add(from));
    }
  }
  for (const [wallet, others] of counterparties) {
    if (others.size > HUB_COUNTERPARTIES_MIN) hubs.add(wallet);
  }
  return hubs;
};

const fundingsOf = (state: State): Map<Hex, FirstFunding> => {
  const first = new Map<Hex, FirstFunding>();
  for (const { block, edges } of inOrder(state)) {
    for (const { kind, from, to, value, tx } of edges) {
      if (kind !== 'native' && kind !== 'funding') continue;
      if (!first.has(to)) first.set(to, { funder: from, value, block: block.number, tx });
    }
  }
  return first;
};

const linksOf = (state: State): Link[] => {
  const hubs = hubsOf(state);
  const fundings = fundingsOf(state);
  const links: Link[] = [];
  for (const { block, edges } of inOrder(state)) {
    for (const edge of edges) {
      if (hubs.has(edge.from) || hubs.has(edge.to)) continue;
      const isFunding = fundings.get(edge.to)?.tx === edge.tx;
      const isProceeds = edge.kind === 'proceeds' || edge.kind === 'lpRemoved';
      if (isFunding || isProceeds) {
        links.push({ from: edge.from, to: edge.to, edge, block: block.number });
      }
    }
  }
  return links;
};

const componentsOf = (links: readonly Link[], seeds: Iterable<Hex>): Hex[][] => {
  const neighbours = new Map<Hex, Hex[]>();
  for (const { from, to } of links) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  const seen = new Set<Hex>();
  const components: Hex[][] = [];
  for (const seed of seeds) {
    if (seen.has(seed)) continue;
    seen.add(seed);
    const component = [seed];
    for (const wallet of component) {
      for (const next of neighbours.get(wallet) ?? []) {
        if (!seen.has(next)) component.push(next);
        seen.add(next);
      }
    }
    if (component.length > 1) components.push(component.sort());
  }
  return components;
};

const ringOf = (state: State, wallets: readonly Hex[], links: readonly Link[]): Ring => {
  const inside = new Set(wallets);
  const deployments: Deployment[] = inOrder(state)
    .flatMap((facts) => facts.deployments)
    .filter(({ creator }) => inside.has(creator));
  const creators = new Set(deployments.map(({ creator }) => creator));
  const scammer = deployments.find(({ token }) => state.judged.get(token) === true);
  const own = links.filter(({ from, to }) => inside.has(from) && inside.has(to));
  const evidence: Evidence[] = own.map(({ from, to, edge, block }) => ({
    rule: edge.kind === 'lpRemoved' ? 'shared_lp_recipient' : 'common_funder',
    from,
    to,
    weight: FUNDING_WEIGHT,
    confidence: 1 / (1 + Math.exp(-FUNDING_WEIGHT)),
    tx: edge.tx,
    block,
  }));
  const funders = new Set(own.map(({ from }) => from));
  const master = wallets.find((wallet) => funders.has(wallet)) ?? wallets[0];
  const roleOf = (wallet: Hex): RingMember['role'] => {
    if (wallet === master) return 'master';
    if (creators.has(wallet)) return 'creator';
    return funders.has(wallet) ? 'funder' : 'puppet';
  };
  const id = `cl_${(scammer?.creator ?? '').slice(2, 18)}`;
  const scams = deployments.filter(({ token }) => state.judged.get(token) === true).length;
  const blocks = own.map(({ block }) => block);
  return {
    id,
    name: `Ring ${id.slice(3, 7)}`,
    members: wallets.map((wallet) => ({ wallet, role: roleOf(wallet) })),
    tokens: deployments.map(({ token }) => ({ token, isScam: state.judged.get(token) === true })),
    evidence,
    statistics: {
      size: wallets.length,
      tokensCreated: deployments.length,
      scams,
      scamRate: scams / deployments.length,
      firstBlock: Math.min(...blocks),
      lastBlock: Math.max(...blocks),
    },
  };
};

const search = (state: State): RingChanges => {
  const links = linksOf(state);
  const seeds = inOrder(state)
    .flatMap(({ deployments }) => deployments)
    .filter(({ token }) => state.judged.get(token) === true)
    .map(({ creator }) => creator);
  const rings = componentsOf(links, seeds).map((wallets) => ringOf(state, wallets, links));
  const before = state.rings;
  state.rings = new Map(rings.map((ring) => [ring.id, ring]));
  const removed = [...before.values()].filter(({ id }) => !state.rings.has(id));
  return {
    changed: rings.filter((ring) => JSON.stringify(before.get(ring.id)) !== JSON.stringify(ring)),
    removed: removed.map(({ id, members }) => ({
      id,
      mergedInto:
        rings.find((ring) => ring.members.some(({ wallet }) => wallet === members[0]?.wallet))
          ?.id ?? null,
    })),
  };
};

/** An empty detector. */
export const createRingDetector = (options: DetectorOptions = {}): RingDetector => {
  const state: State = { options, blocks: new Map(), judged: new Map(), rings: new Map() };
  const load = (facts: BlockFacts): void => {
    state.blocks.set(facts.block.hash, facts);
  };
  return {
    load,
    apply: (facts) => {
      load(facts);
      return search(state);
    },
    undo: (hashes) => {
      for (const hash of hashes) state.blocks.delete(hash);
      return search(state);
    },
    judge: (token, isScam) => {
      state.judged.set(token, isScam);
      return search(state);
    },
    loadJudgement: (token, isScam) => void state.judged.set(token, isScam),
    settle: (_known?: readonly KnownRing[]) => search(state),
    finalize: () => undefined,
    rings: () => state.rings.values(),
    ring: (id) => state.rings.get(id),
    ringOf: (wallet) =>
      [...state.rings.values()].find(({ members }) => members.some((m) => m.wallet === wallet)),
    isHub: (wallet) => hubsOf(state).has(wallet),
    firstFunding: (wallet) => fundingsOf(state).get(wallet),
    undoable: () => inOrder(state).map(({ block }) => block),
    stats: () => ({
      wallets: fundingsOf(state).size,
      edges: [...state.blocks.values()].reduce((sum, { edges }) => sum + edges.length, 0),
      rings: state.rings.size,
      hubs: hubsOf(state).size,
      skipped: { self: 0, dust: 0, evicted: 0 },
      bytes: 0,
    }),
  };
};
