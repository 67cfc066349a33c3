import { createAlertStore } from '../../pipeline/alerts/raise/alertStore.ts';
import { createFactStore } from '../../pipeline/scorer/ingest/factStore.ts';
import { createPoolStore } from '../../pipeline/scorer/pool/poolStore.ts';
import { createTokenStore } from '../../pipeline/scorer/token/tokenStore.ts';
import {
  createVerdictStore,
  type StoredVerdict,
} from '../../pipeline/scorer/verdict/verdictStore.ts';
import { sampleToken } from '../../pipeline/testing/sampleToken.ts';
import type { Hex } from '../../shared/chain/block.ts';
import type { Fact, PoolCreatedFact } from '../../shared/chain/fact.ts';
import type { Alert } from '../../shared/messages/alertMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { insertNeighbours } from '../../shared/platform/graphNeighbours.ts';
import { blocksEvent } from '../../shared/testing/blocksEvent.ts';
import { topicOf as hashOf } from '../../shared/testing/evmData.ts';
import { factOf } from '../../shared/testing/facts.ts';
import type { Verdict } from '../tokens/verdict.ts';

/** A verdict for the API in the form in which the scorer stores it. */
const storedOf = (
  chainId: number,
  verdict: Verdict,
  rest: Pick<StoredVerdict, 'isInForce' | 'holders' | 'position'>,
): StoredVerdict => {
  const { token, name, symbol, createdAtS, analyzedAtMs, prediction, confidence, riskScore } =
    verdict;
  const provenance = { ...verdict.doc.provenance, block_number: verdict.blockNumber };
  const doc = { ...verdict.doc, provenance };
  const { probability, margin, base_value: baseValue, shap_values: contributions } = doc;
  const row = { chainId, token, name, symbol, createdAtS, analyzedAtMs, horizonS: 0, asOfS: 0 };
  const made = { prediction, confidence, riskScore, probability, margin, baseValue, contributions };
  return { ...row, ...rest, creator: doc.creator.address as Hex, verdict: { ...made, doc } };
};

/**
 * Writes a verdict in the way of the scorer: into the history, and as the current one unless there is a later one.
 */
export const insertVerdict = async (
  database: Clickhouse,
  chainId: number,
  verdict: Verdict,
  { version = 1, holders = {} }: { version?: number; holders?: Readonly<Record<Hex, number>> } = {},
): Promise<void> => {
  const store = createVerdictStore(database);
  const last = await store.last(chainId, [verdict.token]);
  const held = Object.entries(holders).map(([holder, share]) => [holder as Hex, share] as const);
  const rest = { isInForce: true, holders: held, position: version };
  await store.insert([storedOf(chainId, verdict, rest)], [], last);
};

/** Writes an alert, or its withdrawal. */
export const insertAlert = (
  database: Clickhouse,
  alert: Alert,
  { isWithdrawn = false }: { isWithdrawn?: boolean } = {},
): Promise<void> => {
  const store = createAlertStore(database);
  const kept = [{ alert, isQuiet: false }];
  return isWithdrawn ? store.withdraw(kept, { epoch: 1 }) : store.raise(kept, 0);
};

type Database = Pick<Clickhouse, 'exec' | 'insertBinary'>;

/** A reorg that orphans one block. */
const reorgOf = (chainId: number, block: number) => {
  const ancestor = { number: block - 1, hash: hashOf(block - 1), timestampS: 0 };
  const orphaned = [{ number: block, hash: hashOf(block) }];
  return { kind: 'reorg', chainId, epoch: 2, ancestor, orphaned } as const;
};

/** A fact in a block with the time `atS` (Unix seconds). */
export const insertFacts = (
  database: Clickhouse,
  chainId: number,
  number: number,
  facts: readonly Fact[],
  atS = 0,
): Promise<void> => {
  const block = { number, hash: hashOf(number), timestampS: atS, facts };
  return createFactStore(database).insert([blocksEvent([block], { chainId })]);
};
/** Writes its tombstone. */
export const removeFacts = (database: Clickhouse, chainId: number, block: number): Promise<void> =>
  createFactStore(database).insertTombstones(reorgOf(chainId, block));

/** A token; `block`: the one in which it was created. */
export const insertToken = (
  database: Clickhouse,
  chainId: number,
  { block = 7, ...token }: { token: Hex; creator: Hex; createdAtS: number; block?: number },
): Promise<void> => {
  const record = sampleToken(token.token, {
    ...token,
    chainId,
    createdBlock: block,
    createdBlockHash: hashOf(block),
    createdTx: hashOf(77),
  });
  return createTokenStore(database).insert([record], 1);
};

/** Deletes the tokens created in a block. */
export const removeTokens = (database: Clickhouse, chainId: number, block: number): Promise<void> =>
  createTokenStore(database).insertTombstones(reorgOf(chainId, block));

/** A movement between two addresses, as the cluster detector writes it; a tombstone has a later version. */
export const insertMovement = (
  database: Database,
  chainId: number,
  movement: {
    kind: string;
    from: Hex;
    to: Hex;
    block: number;
    value?: number;
    version?: number;
    isDeleted?: boolean;
  },
): Promise<void> => {
  const { kind, from, to, block, version = 0, isDeleted = false } = movement;
  const atS = 1_700_000_000 + block;
  const edge = {
    source: 'movement',
    kind,
    from,
    to,
    toIsToken: ['bought', 'sold', 'lpAdded', 'lpRemoved'].includes(kind),
    block: { number: block, hash: hashOf(block), place: 0 },
    value: movement.value ?? 1,
    count: 1,
    firstS: atS,
    lastS: atS,
    txHash: hashOf(block + 3_000),
    isDeleted,
  } as const;
  return insertNeighbours(database, { chainId, version, edges: [edge] });
};

/** A market as in the log of its creation. */
export const insertMarket = (
  database: Clickhouse,
  chainId: number,
  { market, ...made }: Omit<Partial<PoolCreatedFact>, 'pool'> & { market: Hex },
): Promise<void> =>
  insertFacts(database, chainId, 8, [factOf('poolCreated', 0, { pool: market, ...made })]);

/** A Uniswap V2 pool, and its creation among the facts. */
export const insertPool = async (
  database: Clickhouse,
  chainId: number,
  { pool, token, other }: { pool: Hex; token: Hex; other: Hex },
): Promise<void> => {
  const created = { blockNumber: 8, blockHash: hashOf(8) };
  await insertMarket(database, chainId, { market: pool, token0: token, token1: other });
  const row = { pool, token0: token, token1: other, created };
  await createPoolStore(database).insert(chainId, [row], 1);
};

/** `scam`: the one flagged token of the wallet, and when. */
export const insertWallet = async (
  database: Database,
  chainId: number,
  {
    wallet,
    role,
    clusterId,
    isHub = false,
    scam,
  }: {
    wallet: Hex;
    role: string;
    clusterId: string;
    isHub?: boolean;
    scam?: { token: Hex; atS: number };
  },
): Promise<void> => {
  const hubs = isHub ? [{ node: wallet, isDeleted: false }] : [];
  await insertNeighbours(database, { chainId, version: 1, edges: [], hubs });
  await database.exec(
    `INSERT INTO dim_wallets (chain_id, wallet, role, is_hub, risk_score, reputation_score, confidence, funder, funding_tx, cluster_id,
       labels, factors, behaviours, steps, version)
     SELECT {chainId:UInt64}, unhex({wallet:String}), {role:String}, {isHub:UInt8}, 93, 9, 0.97, '', '', {clusterId:String},
       ['ring_master'], '[{"id":"scam_rate","value":0.82,"contribution":-41,"text":"14 of 17"}]', '[]',
       arrayMap(token -> (9, 'token_flagged', unhex(token), toDateTime({atS:UInt32}, 'UTC'), 9, -11, 'master', 'rug_pull', 14800, 212,
         unhex({tx:String})), {scams:Array(String)}), 1`,
    {
      chainId,
      wallet: wallet.slice(2),
      role,
      isHub: isHub ? 1 : 0,
      clusterId,
      scams: scam ? [scam.token.slice(2)] : [],
      atS: scam?.atS ?? 0,
      tx: hashOf(99).slice(2),
    },
  );
};

/** An edge under both of its ends. */
export const insertEdge = (
  database: Database,
  chainId: number,
  {
    source: from,
    target: to,
    weight,
    kind = 'funded',
    isDeleted = false,
  }: { source: Hex; target: Hex; weight: number; kind?: string; isDeleted?: boolean },
): Promise<void> => {
  const shown = { weight, count: 3, firstS: 1, lastS: 2, txHash: hashOf(5), isDeleted };
  const edge = { source: 'edge', kind, from, to, toIsToken: false, ...shown } as const;
  return insertNeighbours(database, { chainId, version: isDeleted ? 2 : 1, edges: [edge] });
};

/** A ring; `link`: two of its wallets with a common funder. */
export const insertCluster = (
  database: Database,
  chainId: number,
  cluster: {
    id: string;
    size: number;
    riskScore: number;
    mergedInto?: string;
    members?: readonly (readonly [Hex, 'master' | 'puppet'])[];
    link?: readonly [Hex, Hex];
  },
): Promise<void> =>
  database.exec(
    `INSERT INTO clusters (chain_id, cluster_id, name, size, risk_score, tokens_created, scams, merged_into, version, members, evidence)
     SELECT {chainId:UInt64}, {id:String}, {name:String}, {size:UInt32}, {riskScore:Float64}, 2, 1, {mergedInto:String}, 1,
       arrayMap((wallet, role) -> (unhex(wallet), role, 90, toDateTime(0, 'UTC')), {wallets:Array(String)}, {roles:Array(String)}),
       ${cluster.link ? "[('common_funder', unhex({a:String}), unhex({b:String}), 0.9, unhex({tx:String}), 5)]" : '[]'}`,
    {
      chainId,
      id: cluster.id,
      name: `Ring ${cluster.id.slice(3)}`,
      size: cluster.size,
      riskScore: cluster.riskScore,
      mergedInto: cluster.mergedInto ?? '',
      wallets: (cluster.members ?? []).map(([wallet]) => wallet.slice(2)),
      roles: (cluster.members ?? []).map(([, role]) => role),
      a: cluster.link?.[0].slice(2) ?? '',
      b: cluster.link?.[1].slice(2) ?? '',
      tx: hashOf(5).slice(2),
    },
  );
