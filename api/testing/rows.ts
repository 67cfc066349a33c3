import { createAlertStore } from '../../pipeline/alerts/raise/alertStore.ts';
import { createPoolStore } from '../../pipeline/scorer/pool/poolStore.ts';
import { createTokenStore } from '../../pipeline/scorer/token/tokenStore.ts';
import { sampleToken } from '../../pipeline/testing/sampleToken.ts';
import { type Hex, ZERO_ADDRESS } from '../../shared/chain/block.ts';
import { marketId } from '../../shared/market/marketId.ts';
import type { Alert } from '../../shared/messages/alertMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { insertNeighbours } from '../../shared/platform/graphNeighbours.ts';
import { topicOf as hashOf } from '../../shared/testing/evmData.ts';
import type { Verdict } from '../tokens/verdict.ts';

/** The column `holders`, before the others. */
const HELD = `arrayMap((holder, share) -> (toFixedString(unhex(holder), 20), share),
  {holders:Array(String)}, {shares:Array(Float64)}), `;

/** Nothing is written where there is a later verdict. */
const UNLESS_LATER = `WHERE {version:UInt64} >= (SELECT max(version) FROM token_verdicts
  WHERE chain_id = {chainId:UInt64} AND token = unhex({token:String}))`;

/** Writes a verdict in force as the scorer does, unless there is a later one. */
export const insertVerdict = async (
  database: Clickhouse,
  chainId: number,
  verdict: Verdict,
  options: {
    version?: number;
    /** Who holds most, and which share. */
    holders?: Readonly<Record<Hex, number>>;
  } = {},
): Promise<void> => {
  await database.exec(
    `INSERT INTO token_verdicts (${options.holders ? 'holders, ' : ''}chain_id, token, block_number, block_hash,
       name, symbol, prediction, confidence, risk_score, model, creator, liquidity_usd, created_at,
       analyzed_at, doc, version)
     SELECT ${options.holders ? HELD : ''}{chainId:UInt64}, unhex({token:String}), {blockNumber:UInt64}, unhex({blockHash:String}),
       {name:String}, {symbol:String}, {prediction:String}, {confidence:Float64},
       {riskScore:Float64}, {model:String}, unhex({creator:String}), {liquidityUsd:Float64},
       toDateTime({createdAtS:UInt32}, 'UTC'),
       fromUnixTimestamp64Milli({analyzedAtMs:Int64}, 'UTC'), {doc:String}, {version:UInt64} ${UNLESS_LATER}`,
    {
      ...verdict,
      chainId,
      token: verdict.token.slice(2),
      blockHash: verdict.doc.provenance.block_hash.slice(2),
      creator: verdict.doc.creator.address.slice(2),
      liquidityUsd: verdict.doc.features.liquidity_usd,
      doc: JSON.stringify(verdict.doc),
      version: options.version ?? 1,
      holders: Object.keys(options.holders ?? {}).map((holder) => holder.slice(2)),
      shares: Object.values(options.holders ?? {}),
    },
  );
};

/** Writes a verdict into the history as the scorer does. */
export const insertPastVerdict = (
  database: Clickhouse,
  chainId: number,
  verdict: Verdict,
): Promise<void> =>
  database.exec(
    `INSERT INTO verdict_history (chain_id, token, block_number, block_hash, prediction, confidence, risk_score,
       model, analyzed_at, features, shap_values, version)
     SELECT {chainId:UInt64}, unhex({token:String}), {blockNumber:UInt64}, unhex({blockHash:String}),
       {prediction:String}, {confidence:Float64}, {riskScore:Float64}, {model:String},
       fromUnixTimestamp64Milli({analyzedAtMs:Int64}, 'UTC'), {features:Map(String, Float64)},
       {contributions:Map(String, Float64)}, 1`,
    {
      ...verdict,
      chainId,
      token: verdict.token.slice(2),
      blockHash: verdict.doc.provenance.block_hash.slice(2),
      features: verdict.doc.features,
      contributions: verdict.doc.shap_values,
    },
  );

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

/** Writes one row as the pipeline does: hexadecimal values are stored as bytes. */
const insertRow = (
  database: Database,
  table: string,
  row: Readonly<Record<string, string | number | readonly string[]>>,
): Promise<void> => {
  const entries = Object.entries(row);
  const isHex = (value: unknown): value is string =>
    typeof value === 'string' && /^0x([0-9a-f]{2})+$/.test(value);
  const placeholder = ([name, value]: (typeof entries)[number]): string => {
    if (isHex(value)) return `unhex({${name}:String})`;
    if (Array.isArray(value)) return `{${name}:Array(String)}`;
    return `{${name}:${typeof value === 'number' ? 'Float64' : 'String'}}`;
  };
  const params = entries.map(([name, value]) => [name, isHex(value) ? value.slice(2) : value]);
  return database.exec(
    `INSERT INTO ${table} (${entries.map(([name]) => name).join(', ')})
     SELECT ${entries.map(placeholder).join(', ')}`,
    Object.fromEntries(params),
  );
};

/** A token; `block`: the one it was created in. */
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

/** Takes back the tokens created in a block. */
export const removeTokens = (
  database: Clickhouse,
  chainId: number,
  block: number,
): Promise<void> => {
  const ancestor = { number: block - 1, hash: hashOf(block - 1), timestampS: 0 };
  const orphaned = [{ number: block, hash: hashOf(block) }];
  const reorg = { kind: 'reorg', chainId, epoch: 2, ancestor, orphaned } as const;
  return createTokenStore(database).insertTombstones(reorg);
};

export const insertNativeTransfer = (
  database: Database,
  chainId: number,
  transfer: {
    from: Hex;
    to: Hex;
    block: number;
    atS: number;
    value?: string;
    version: number;
    isDeleted?: boolean;
  },
): Promise<void> =>
  insertRow(database, 'fact_native_transfers', {
    chain_id: chainId,
    to_address: transfer.to,
    block_number: transfer.block,
    block_hash: hashOf(transfer.block),
    tx_index: 0,
    timestamp: transfer.atS,
    tx_hash: hashOf(transfer.block + 1_000),
    from_address: transfer.from,
    value: transfer.value ?? '1',
    version: transfer.version,
    is_deleted: transfer.isDeleted ? 1 : 0,
  });

/** What moved between two addresses, as the cluster detector writes it; a tombstone is of a later version. */
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

/** A market as the log of its creation shows it, or `asked`: as its contract answered. */
export const insertMarket = (
  database: Database,
  chainId: number,
  market: { protocol: string; market: Hex; token0: Hex; token1: Hex; factory: Hex },
): Promise<void> =>
  insertRow(database, 'fact_markets', {
    ...market,
    chain_id: chainId,
    market: marketId(market.market),
    block_number: 8,
    block_hash: hashOf(8),
    version: 2,
  });

/** A trade in a pool of Balancer V2, by what its manager logged. */
export const insertTrade = (
  database: Database,
  chainId: number,
  { logIndex, ...trade }: { market: Hex; manager: Hex; token0: Hex; token1: Hex; logIndex: number },
): Promise<void> =>
  insertRow(database, 'fact_market_events', {
    ...trade,
    chain_id: chainId,
    protocol: 'balancer_v2',
    kind: 'swap',
    block_number: 8,
    block_hash: hashOf(8),
    log_index: logIndex,
    version: 2,
  });

/** A pool of Uniswap V2, and its creation among the facts. */
export const insertPool = async (
  database: Clickhouse,
  chainId: number,
  { pool, token, other }: { pool: Hex; token: Hex; other: Hex },
): Promise<void> => {
  const created = { blockNumber: 8, blockHash: hashOf(8) };
  await insertMarket(database, chainId, {
    protocol: 'uniswap_v2',
    market: pool,
    factory: ZERO_ADDRESS,
    token0: token,
    token1: other,
  });
  const row = { pool, token0: token, token1: other, created };
  await createPoolStore(database).insert(chainId, [row], 1);
};

/** `scam`: the one token of the wallet that was flagged, and when. */
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

/** A ring; `link`: two of its wallets that have a common funder. */
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
