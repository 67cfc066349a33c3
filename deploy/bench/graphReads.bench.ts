import { WIDE_PLANS } from '../../api/testing/sampleAccount.ts';
import { startApi } from '../../api/testing/startApi.ts';
import { startMigratingClickhouse } from '../../shared/testing/migratedClickhouse.ts';
import { hammer, type Measured } from './apiReads.ts';
import { addressAt, type GraphSize, graphSize, insertGraph, ringAt } from './manyEdges.ts';

// Reads of graphs, wallets and rings over HTTP with authentication and quota, by one client and by eight.
// CLUSTER_EDGES=1000000 is the size for which the aims are stated: p99 below 100 ms.

const EDGES = Number((process.env['CLUSTER_EDGES'] ?? '300000').split(',')[0]);
const CONNECTIONS = [1, 8];
const SECONDS = 5;

const random = (below: number): number => Math.floor(Math.random() * below);

/** Reads by name: any token, wallet or ring of the graph. */
const READS: Record<string, (size: GraphSize) => string> = {
  'network of a token, depth 1': ({ tokens }) =>
    `/tokens/${addressAt('t', random(tokens))}/network?depth=1`,
  'network of a token, depth 2': ({ tokens }) =>
    `/tokens/${addressAt('t', random(tokens))}/network`,
  'network of a token, depth 3': ({ tokens }) =>
    `/tokens/${addressAt('t', random(tokens))}/network?depth=3`,
  'graph of a creator, depth 2': ({ creators }) =>
    `/api/graph/wallet/${addressAt('c', random(creators))}`,
  'path within a ring': ({ rings }) => {
    const first = random(rings) * 5;
    return `/api/graph/path?from=${addressAt('c', first)}&to=${addressAt('t', first * 5 + 24)}`;
  },
  'path between any wallets': ({ wallets }) =>
    `/api/graph/path?from=${addressAt('w', random(wallets))}&to=${addressAt('w', random(wallets))}`,
  'wallet that is kept': ({ creators }) => `/wallets/${addressAt('c', random(creators))}`,
  'wallet report': ({ creators }) => `/api/wallets/${addressAt('c', random(creators))}`,
  'tokens of a wallet': ({ creators }) => `/wallets/${addressAt('c', random(creators))}/tokens`,
  'reputation of a wallet': ({ creators }) =>
    `/api/wallets/${addressAt('c', random(creators))}/reputation`,
  ring: ({ rings }) => `/clusters/${ringAt(random(rings))}`,
  rings: () => '/clusters?limit=50',
};

/** p50, p99 and requests a second. */
const figuresOf = ({ p50, p99, perSecond, shed }: Measured): string => {
  const refused = shed > 0 ? ` ${shed} answers of 503` : '';
  return `${String(p50).padStart(6)}${String(p99).padStart(6)} ms${perSecond.toFixed(0).padStart(6)}/s${refused}`;
};

const api = await startApi(
  { RATE_PLANS: WIDE_PLANS, LOG_LEVEL: 'warn' },
  undefined,
  startMigratingClickhouse,
);
try {
  const { key } = await api.newKey('enterprise');
  const target = { baseUrl: api.baseUrl, callers: [{ 'x-api-key': key }], seconds: SECONDS };
  const size = graphSize(EDGES);
  const startMs = Date.now();
  await insertGraph(api.database, size, (what) => {
    console.error(`${what} after ${((Date.now() - startMs) / 1000).toFixed(0)} s`);
  });
  console.log(
    `${EDGES} movements, ${size.tokens} tokens, ${size.wallets} wallets, ${size.rings} rings`,
  );
  console.log(`p50, p99, requests a second by ${CONNECTIONS.join(' and ')} clients`);
  for (const [name, path] of Object.entries(READS)) {
    const figures: string[] = [];
    for (const connections of CONNECTIONS) {
      figures.push(figuresOf(await hammer({ ...target, connections }, () => path(size))));
    }
    console.log(`${name.padEnd(30)}${figures.join('  |')}`);
  }
} finally {
  await api.close();
}
process.exit();
