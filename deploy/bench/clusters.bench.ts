import { DirectedGraph } from 'graphology';
import { createdFact, movement, NO_TOKEN } from '../../pipeline/clusters/facts/graphFact.ts';
import {
  createRingDetector,
  type RingDetector,
} from '../../pipeline/clusters/graph/createRingDetector.ts';
import type { DetectorBlock } from '../../pipeline/clusters/graph/ringDetector.ts';
import { type Hex, ZERO_HASH } from '../../shared/chain/block.ts';
import { createRandom } from '../../shared/testing/random.ts';
import { percentile } from './figures.ts';

/**
 * The ring detector at scale: a synthetic chain of random payments, one exchange and one scam deployer per 2,000
 * wallets. CLUSTER_EDGES is a comma-separated list of sizes; CLUSTER_EDGES=1000000,10000000 measures the figures in
 * CLUSTERS.md. graphology is measured on the same edges up to GRAPHOLOGY_EDGES_MAX; larger graphs do not fit into
 * memory together with the detector.
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

/** Blocks of a chain with a number of edges; wallet 0 is the exchange. */
function* syntheticBlocks(edges: number): Generator<DetectorBlock> {
  const random = createRandom(edges);
  const wallets = Math.floor(edges / EDGES_PER_WALLET);
  for (let number = 0; number * EDGES_PER_BLOCK < edges + UPDATES * EDGES_PER_BLOCK; number += 1) {
    const payments = Array.from({ length: EDGES_PER_BLOCK }, (_, place) => {
      const name = number * EDGES_PER_BLOCK + place;
      const from = random.oneIn(10) ? 0 : random.below(wallets);
      const value = (1 + random.below(1_000)) / 100;
      const ends = { from: addressOf(from), to: addressOf(random.below(wallets)) };
      return movement({
        kind: 'native',
        ...ends,
        token: NO_TOKEN,
        value,
        place,
        txHash: txOf(name),
      });
    });
    const isBirth =
      number % Math.ceil((WALLETS_PER_SCAMMER * EDGES_PER_WALLET) / EDGES_PER_BLOCK) === 0;
    const birth = createdFact({
      token: addressOf(wallets + number),
      creator: addressOf(random.below(wallets)),
      txHash: ZERO_HASH,
      codeHash: ZERO_HASH,
    });
    yield { number, hash: txOf(number), facts: isBirth ? [...payments, birth] : payments };
  }
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
const rss = (): number => process.memoryUsage().rss;

/** Each edge as a block of its own. */
function* oneByOne(blocks: Iterator<DetectorBlock>): Generator<DetectorBlock> {
  for (let next = blocks.next(); next.done !== true; next = blocks.next()) {
    const { number, facts } = next.value;
    for (const fact of facts.filter(({ kind }) => kind === 'native')) {
      yield { number, hash: fact.txHash, facts: [fact] };
    }
  }
}

/** Tokens created in a block: all are scams. */
const scamsOf = ({ facts }: DetectorBlock): Hex[] =>
  facts.flatMap(({ kind, to }) => (kind === 'created' ? [to] : []));

const measureUpdates = (
  detector: RingDetector,
  blocks: Iterator<DetectorBlock>,
  edgesEach: number,
): string => {
  const latencies: number[] = [];
  for (let i = 0; i < UPDATES; i += 1) {
    const { value, done } = blocks.next();
    if (done === true) break;
    const from = performance.now();
    detector.apply(value);
    for (const token of scamsOf(value)) detector.setVerdict(token, true);
    latencies.push(performance.now() - from);
    detector.finalize(value.number - 64);
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
    detector.finalize(value.number);
    for (const token of scamsOf(value)) detector.loadVerdict(token, true);
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
  for (const { facts } of syntheticBlocks(edges)) {
    if (loaded >= edges) break;
    const from = performance.now();
    for (const fact of facts) graph.mergeDirectedEdge(fact.from, fact.to, fact);
    spentMs += performance.now() - from;
    loaded += facts.length;
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
