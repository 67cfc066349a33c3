import { DirectedGraph } from 'graphology';
import { createRingDetector } from '../../pipeline/clusters/graph/createRingDetector.ts';
import type { BlockFacts, ValueEdge } from '../../pipeline/clusters/graph/facts.ts';
import type { RingDetector } from '../../pipeline/clusters/graph/ringDetector.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { createRandom } from '../../shared/testing/random.ts';
import { percentile } from './percentiles.ts';

/**
 * The ring detector at size: a synthetic chain of random payments, one exchange and a scam deployer in
 * every 2,000 wallets. CLUSTER_EDGES is a comma list of sizes; CLUSTER_EDGES=1000000,10000000 measures
 * what CLUSTERS.md states. graphology is measured on the same edges up to GRAPHOLOGY_EDGES_MAX, above
 * which it does not fit beside the detector.
 */
const SIZES = (process.env['CLUSTER_EDGES'] ?? '300000').split(',').map(Number);
const GRAPHOLOGY_EDGES_MAX = 2_000_000;
const EDGES_PER_WALLET = 4;
const EDGES_PER_BLOCK = 200;
const WALLETS_PER_SCAMMER = 2_000;
const UPDATES = 1_000;

const addressOf = (name: number): Hex =>
  `0x${(Math.imul(name + 1, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')}${name.toString(16).padStart(32, '0')}`;
const txOf = (name: number): Hex => `0x${name.toString(16).padStart(64, '0')}`;

/** Blocks of a chain of so many edges; wallet 0 is the exchange. */
function* syntheticBlocks(edges: number): Generator<BlockFacts> {
  const random = createRandom(edges);
  const wallets = Math.floor(edges / EDGES_PER_WALLET);
  for (let number = 0; number * EDGES_PER_BLOCK < edges + UPDATES * EDGES_PER_BLOCK; number += 1) {
    const rows = Array.from({ length: EDGES_PER_BLOCK }, (_, i): ValueEdge => {
      const name = number * EDGES_PER_BLOCK + i;
      const from = random.oneIn(10) ? 0 : random.below(wallets);
      const value = (1 + random.below(1_000)) / 100;
      const [a, b] = [addressOf(from), addressOf(random.below(wallets))];
      return { kind: 'native', from: a, to: b, value, tx: txOf(name) };
    });
    const isBirth =
      number % Math.ceil((WALLETS_PER_SCAMMER * EDGES_PER_WALLET) / EDGES_PER_BLOCK) === 0;
    const birth = {
      token: addressOf(wallets + number),
      creator: addressOf(random.below(wallets)),
      tx: null,
    };
    yield {
      block: { number, hash: txOf(number) },
      edges: rows,
      deployments: isBirth ? [birth] : [],
    };
  }
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
const rss = (): number => process.memoryUsage().rss;

/** Each edge as a block of its own. */
function* oneByOne(blocks: Iterator<BlockFacts>): Generator<BlockFacts> {
  for (let next = blocks.next(); next.done !== true; next = blocks.next()) {
    for (const edge of next.value.edges) {
      const { number } = next.value.block;
      yield { block: { number, hash: edge.tx ?? txOf(number) }, edges: [edge], deployments: [] };
    }
  }
}

const measureUpdates = (
  detector: RingDetector,
  blocks: Iterator<BlockFacts>,
  edgesEach: number,
): string => {
  const latencies: number[] = [];
  for (let i = 0; i < UPDATES; i += 1) {
    const { value, done } = blocks.next();
    if (done === true) break;
    const from = performance.now();
    detector.apply(value);
    for (const { token } of value.deployments) detector.setVerdict(token, true);
    latencies.push(performance.now() - from);
    detector.finalize(value.block.number - 64);
  }
  latencies.sort((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((p) => percentile(latencies, p).toFixed(2));
  return `${latencies.length} blocks of ${edgesEach} edges: p50 ${p50} ms, p99 ${p99} ms a block`;
};

const measureDetector = (edges: number): void => {
  const before = rss();
  const detector = createRingDetector({
    edgesMax: edges + UPDATES * EDGES_PER_BLOCK,
    walletsMax: edges / EDGES_PER_WALLET + edges / EDGES_PER_BLOCK + 2 * UPDATES,
  });
  const blocks = syntheticBlocks(edges);
  let spentMs = 0;
  for (let loaded = 0; loaded < edges; loaded += EDGES_PER_BLOCK) {
    const { value } = blocks.next();
    const from = performance.now();
    detector.load(value);
    detector.finalize(value.block.number);
    for (const { token } of value.deployments) detector.loadVerdict(token, true);
    spentMs += performance.now() - from;
  }
  const from = performance.now();
  const { changed } = detector.findRings();
  const settledMs = performance.now() - from;
  console.log(`rings: ${edges} edges loaded at ${Math.round(edges / spentMs)} thousand/s`);
  console.log(`rings: ${changed.length} rings found at once in ${Math.round(settledMs)} ms`);
  console.log(`rings: ${measureUpdates(detector, oneByOne(blocks), 1)}`);
  console.log(`rings: ${measureUpdates(detector, blocks, EDGES_PER_BLOCK)}`);
  const reserved = megabytes(detector.stats().bytes);
  console.log(`rings: ${megabytes(rss() - before)} more resident, ${reserved} reserved`);
};

/** Connected components by graphology's own traversal, without hubs or weights: a lower bound of the work. */
const measureGraphology = (edges: number): void => {
  const before = rss();
  const graph = new DirectedGraph();
  let spentMs = 0;
  let loaded = 0;
  for (const { edges: rows } of syntheticBlocks(edges)) {
    if (loaded >= edges) break;
    const from = performance.now();
    for (const row of rows) graph.mergeDirectedEdge(row.from, row.to, row);
    spentMs += performance.now() - from;
    loaded += rows.length;
  }
  const from = performance.now();
  const seen = new Set<string>();
  let components = 0;
  graph.forEachNode((node) => {
    if (seen.has(node)) return;
    components += 1;
    const queue = [node];
    seen.add(node);
    for (const next of queue) {
      graph.forEachNeighbor(next, (near) => {
        if (seen.has(near)) return;
        seen.add(near);
        queue.push(near);
      });
    }
  });
  const walkedMs = Math.round(performance.now() - from);
  console.log(`graphology: ${edges} edges loaded at ${Math.round(edges / spentMs)} thousand/s`);
  console.log(`graphology: ${components} components in ${walkedMs} ms, all again at every change`);
  console.log(`graphology: ${megabytes(rss() - before)} more resident`);
};

for (const edges of SIZES) {
  measureDetector(edges);
  if (edges <= GRAPHOLOGY_EDGES_MAX) measureGraphology(edges);
  else console.log(`graphology: not measured at ${edges} edges, above ${GRAPHOLOGY_EDGES_MAX}`);
}
