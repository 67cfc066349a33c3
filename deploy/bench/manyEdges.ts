import { createHash } from 'node:crypto';
import { verdictOf } from '../../api/testing/fakePorts.ts';
import { API_CHAIN_ID } from '../../api/testing/startApi.ts';
import type { Hex } from '../../shared/chain/block.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';

/** Rows written by one statement: its views work in memory. */
const ROWS_PER_INSERT = 100_000;
const MOVEMENTS_PER_TOKEN = 50;
const MOVEMENTS_PER_WALLET = 4;
const TOKENS_PER_CREATOR = 5;
const CREATORS_PER_RING = 5;
const BIRTH_S = 1_600_000_000;

/** Numbers of everything in a graph with a number of movements. */
export interface GraphSize {
  readonly movements: number;
  readonly wallets: number;
  readonly tokens: number;
  readonly creators: number;
  readonly rings: number;
}

export const graphSize = (movements: number): GraphSize => {
  const tokens = Math.floor(movements / MOVEMENTS_PER_TOKEN);
  const creators = Math.floor(tokens / TOKENS_PER_CREATOR);
  const wallets = Math.floor(movements / MOVEMENTS_PER_WALLET);
  return { movements, wallets, tokens, creators, rings: Math.floor(creators / CREATORS_PER_RING) };
};

/** The address with this number among the wallets (w), tokens (t), creators (c), masters (m) or pools (p). */
export const addressAt = (kind: 'w' | 't' | 'c' | 'm' | 'p', number: number): Hex =>
  `0x${createHash('sha256').update(`${kind}${number}`).digest('hex').slice(0, 40)}`;

/** The ring with this number. */
export const ringAt = (number: number): string => `cl_${number.toString(16).padStart(16, '0')}`;

const address = (kind: string, number: string): string =>
  `toFixedString(substring(SHA256(concat('${kind}', toString(${number}))), 1, 20), 20)`;
const hash = (number: string): string => `SHA256(toString(${number}))`;
const at = (number: string): string => `toDateTime(${BIRTH_S} + ${number}, 'UTC')`;
/** A number below `count`; small ones are far more frequent, as with wallets and tokens of a chain. */
const skewed = (count: string, seed: string): string =>
  `toUInt64(${count} * pow((cityHash64(number, ${seed}) % 1000003) / 1000003, 2))`;
const FROM_NUMBERS = 'FROM numbers({start:UInt64}, {count:UInt64})';

const CREATOR = address('c', `intDiv(number, ${TOKENS_PER_CREATOR})`);
const TOKEN = address('t', 'number');
const WRAPPED = address('weth', "''");

const TOKENS = `INSERT INTO dim_tokens (chain_id, token, name, symbol, creator, creator_source, created_block,
    created_tx, created_at, version)
  SELECT {chainId:UInt64}, ${TOKEN}, 'Bench', concat('B', toString(number % 1000)), ${CREATOR}, 'deployment', number,
    ${hash('number')}, ${at('number')}, 0 ${FROM_NUMBERS}`;

const VERDICTS = `INSERT INTO token_verdicts (chain_id, token, block_number, block_hash, name, symbol, prediction,
    confidence, risk_score, model, creator, liquidity_usd, created_at, analyzed_at, doc, holders, version)
  SELECT {chainId:UInt64}, ${TOKEN}, number, ${hash('number')}, 'Bench', concat('B', toString(number % 1000)),
    if(number % 3 = 0, 'LEGIT', 'SCAM'), 0.9, 80, 'bench', ${CREATOR}, 1000, ${at('number')},
    toDateTime64(${at('number')}, 3, 'UTC'), {doc:String},
    arrayMap(i -> (if(i = 0, ${address('p', 'number')}, ${address('w', skewed('{wallets:UInt64}', 'i'))}), 1 / (i + 2)), range(21)), 1
  ${FROM_NUMBERS}`;

const POOLS = `INSERT INTO dim_pools (chain_id, token, pool, other_token, token_is_0, created_block, version)
  SELECT {chainId:UInt64}, side.1, ${address('p', 'number')}, side.2, 0, number, 0 ${FROM_NUMBERS}
  ARRAY JOIN [(${TOKEN}, ${WRAPPED}), (${WRAPPED}, ${TOKEN})] AS side`;

/** Half of the movements are money, a tenth of it from one exchange; the others are trades. */
const MOVED = `(SELECT number, kind, ${hash('intDiv(number, 200)')} AS block,
    if(kind = 'native' AND number % 10 = 0, ${address('exchange', "''")}, ${address('w', skewed('{wallets:UInt64}', '1'))}) AS source,
    if(kind = 'native', ${address('w', skewed('{wallets:UInt64}', '2'))}, ${address('t', skewed('{tokens:UInt64}', '3'))}) AS target,
    (1 + cityHash64(number) % 1000) / 100 AS units
  FROM (SELECT number, ['native', 'native', 'bought', 'sold'][1 + number % 4] AS kind ${FROM_NUMBERS}))`;
const MOVEMENTS = `INSERT INTO graph_facts (chain_id, block_number, block_hash, kind, place, from_address, to_address,
    value, timestamp, tx_hash, version)
  SELECT {chainId:UInt64}, intDiv(number, 200), block, kind, number % 200, source, target, units, ${at('number')},
    ${hash('number')}, 0 FROM ${MOVED}`;

/** Edges as in `graph_neighbours`, each under both of its ends: one for each selected row. */
const neighbours = (edge: {
  source: 'edge' | 'token' | 'movement' | 'pool';
  kind: string;
  from: string;
  to: string;
  toIsToken: string;
  isOfBlock?: boolean;
  value?: string;
  weight?: string;
  rows: string;
}): string =>
  `INSERT INTO graph_neighbours (chain_id, node, source, direction, kind, other, block_number, block_hash, place,
    node_is_token, other_is_token, value, weight, value_usd, tx_count, first_at, last_at, tx_hash, version)
  SELECT {chainId:UInt64}, ends.1, '${edge.source}', if(ends.2 = 0, 'out', 'in'), ${edge.kind}, ends.3,
    ${edge.isOfBlock ? `intDiv(number, 200), ${hash('intDiv(number, 200)')}, number % 200` : "0, toFixedString('', 32), 0"},
    ends.2 AND ${edge.toIsToken}, NOT ends.2 AND ${edge.toIsToken}, ${edge.value ?? '0'}, ${edge.weight ?? '0'}, 100, 1,
    ${at('number')}, ${at('number')}, ${hash('number')}, 1
  FROM (${edge.rows}) ARRAY JOIN [(${edge.from}, 0, ${edge.to}), (${edge.to}, 1, ${edge.from})] AS ends`;

const NEIGHBOURS_OF_TOKENS = [
  neighbours({
    source: 'token',
    kind: "'created'",
    from: CREATOR,
    to: TOKEN,
    toIsToken: '1',
    weight: '1',
    rows: `SELECT number ${FROM_NUMBERS}`,
  }),
  ...[TOKEN, WRAPPED].map((to) =>
    neighbours({
      source: 'pool',
      kind: "'holds'",
      from: address('p', 'number'),
      to,
      toIsToken: '1',
      weight: '0.5',
      rows: `SELECT number ${FROM_NUMBERS}`,
    }),
  ),
];
const NEIGHBOURS_OF_MOVEMENTS = neighbours({
  source: 'movement',
  kind: 'kind',
  from: 'source',
  to: 'target',
  toIsToken: "(kind != 'native')",
  isOfBlock: true,
  value: 'units',
  rows: `SELECT * FROM ${MOVED}`,
});

const WALLETS = `INSERT INTO dim_wallets (chain_id, wallet, role, is_known_scammer, risk_score, reputation_score,
    confidence, tokens_created, scams, stolen_usd, victims, counterparties, funder, funder_kind, funding_tx,
    cluster_id, first_seen, last_activity, factors, behaviours, version)
  SELECT {chainId:UInt64}, member.1, member.2, 1, 80, 20, 0.9, 5, 3, 1000, 10, 30, ${address('m', 'ring')}, 'wallet', ${hash('number')},
    ${`concat('cl_', leftPad(lower(hex(ring)), 16, '0'))`}, ${at('number')}, ${at('number')}, '[]', '[]', 1
  FROM (SELECT number, intDiv(number, ${CREATORS_PER_RING}) AS ring ${FROM_NUMBERS})
  ARRAY JOIN [(${address('c', 'number')}, 'creator'), (${address('m', 'ring')}, 'master')] AS member`;

const RING_ID = `concat('cl_', leftPad(lower(hex(number)), 16, '0'))`;
const RINGS = `INSERT INTO clusters (chain_id, cluster_id, name, size, risk_score, tokens_created, scams, stolen_usd,
    victims, members, evidence, first_seen, last_activity, version)
  SELECT {chainId:UInt64}, ${RING_ID}, concat('Ring ', toString(number)), 6, cityHash64(number) % 10000 / 100, 25, 15, 5000, 50,
    arrayConcat([(${address('m', 'number')}, 'master', 80, ${at('number')})],
      arrayMap(i -> (${address('c', `number * ${CREATORS_PER_RING} + i`)}, 'puppet', 80, ${at('number')}), range(${CREATORS_PER_RING}))),
    arrayMap(i -> ('common_funder', ${address('m', 'number')}, ${address('c', `number * ${CREATORS_PER_RING} + i`)}, 0.9, ${hash('number')}, number), range(${CREATORS_PER_RING})),
    ${at('number')}, ${at('number')}, 1 ${FROM_NUMBERS}`;
/** Edges of creators: those with their master, their tokens, and ten other wallets. */
const keptEdges = (): string => {
  const creator = address('c', 'number');
  const master = address('m', `intDiv(number, ${CREATORS_PER_RING})`);
  const own = address('t', `number * ${TOKENS_PER_CREATOR} + i`);
  return neighbours({
    source: 'edge',
    kind: 'edge.3',
    from: 'edge.1',
    to: 'edge.2',
    toIsToken: 'edge.4',
    weight: 'edge.5',
    rows: `SELECT number, edge ${FROM_NUMBERS} ARRAY JOIN arrayConcat(
      [(${master}, ${creator}, 'funded', 0, 0.6), (${master}, ${creator}, 'same_cluster', 0, 0.9)],
      arrayMap(i -> (${creator}, ${own}, 'created', 1, 1.), range(${TOKENS_PER_CREATOR})),
      arrayMap(i -> (${creator}, ${own}, 'removed_liquidity', 1, 0.5), range(${TOKENS_PER_CREATOR})),
      arrayMap(i -> (${creator}, ${address('w', skewed('{wallets:UInt64}', '100 + i'))}, 'transferred', 0, 0.3), range(10))) AS edge`,
  });
};

/** Writes a graph in the way of the pipeline. */
export const insertGraph = async (
  database: Pick<Clickhouse, 'exec'>,
  size: GraphSize,
  report: (what: string) => void,
): Promise<void> => {
  const doc = JSON.stringify(verdictOf(addressAt('t', 0)).doc);
  const fill = async (what: string, total: number, statements: readonly string[]) => {
    for (let start = 0; start < total; start += ROWS_PER_INSERT) {
      const count = Math.min(ROWS_PER_INSERT, total - start);
      const params = { chainId: API_CHAIN_ID, ...size, start, count, doc };
      for (const sql of statements) await database.exec(sql, params);
      if ((start / ROWS_PER_INSERT) % 10 === 0) report(`${what}: ${start + count}`);
    }
  };
  await fill('tokens', size.tokens, [TOKENS, VERDICTS, POOLS, ...NEIGHBOURS_OF_TOKENS]);
  await fill('creators', size.creators, [WALLETS, keptEdges()]);
  await fill('rings', size.rings, [RINGS]);
  await fill('movements', size.movements, [MOVEMENTS, NEIGHBOURS_OF_MOVEMENTS]);
};
