import type { Hex } from '../../shared/chain/block.ts';
import type { Alert } from '../../shared/messages/alertMessage.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import type { Verdict } from '../tokens/verdict.ts';

/** The column `holders`, before the others. */
const HELD = `arrayMap((holder, share) -> (toFixedString(unhex(holder), 20), share),
  {holders:Array(String)}, {shares:Array(Float64)}), `;

const last = (column: string): string => `argMax(${column}, (version, seq))`;
/** The column `previous`, after the others: of the last row of the token. */
const PREVIOUS = `, (SELECT (toUInt8(0), toUInt8(count() > 0 AND ${last('is_deleted')} = 0),
    ${['name', 'symbol', 'is_scam', 'confidence', 'risk_score', 'created_at', 'analyzed_at', 'failed'].map(last).join(', ')})
  FROM token_verdicts WHERE chain_id = {chainId:UInt64} AND token = unhex({token:String}))
  WHERE {version:UInt64} >= (SELECT max(version) FROM token_verdicts
    WHERE chain_id = {chainId:UInt64} AND token = unhex({token:String}))`;

/** Writes a verdict as the scorer does, into the table in force, unless there is a later one, or into the history. */
export const insertVerdict = (
  database: Clickhouse,
  chainId: number,
  verdict: Verdict,
  options: {
    table?: 'token_verdicts' | 'verdict_history';
    version?: number;
    /** Who holds most, and which share. */
    holders?: Readonly<Record<Hex, number>>;
  } = {},
): Promise<void> => {
  const { table = 'token_verdicts' } = options;
  const isInForce = table === 'token_verdicts';
  return database.exec(
    `INSERT INTO ${table} (${options.holders ? 'holders, ' : ''}chain_id, token, block_number, block_hash,
       name, symbol, prediction, confidence, risk_score, model, creator, liquidity_usd, created_at,
       analyzed_at, doc, version${isInForce ? ', previous' : ''})
     SELECT ${options.holders ? HELD : ''}{chainId:UInt64}, unhex({token:String}), {blockNumber:UInt64}, unhex({blockHash:String}),
       {name:String}, {symbol:String}, {prediction:String}, {confidence:Float64},
       {riskScore:Float64}, {model:String}, unhex({creator:String}), {liquidityUsd:Float64},
       toDateTime({createdAtS:UInt32}, 'UTC'),
       fromUnixTimestamp64Milli({analyzedAtMs:Int64}, 'UTC'), {doc:String}, {version:UInt64}${isInForce ? PREVIOUS : ''}`,
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

/** Writes an alert, or its withdrawal, as the alerter does. */
export const insertAlert = (
  database: Clickhouse,
  alert: Alert,
  options: { isWithdrawn?: boolean } = {},
): Promise<void> =>
  database.exec(
    `INSERT INTO alerts (family, id, chain_id, watch_id, type, severity, token, token_name,
       token_symbol, details, recommendation, block_number, block_hash, log_index, tx_hash,
       created_at, version, is_deleted)
     SELECT {family:String}, {id:UInt64}, {chainId:UInt64}, {watchId:UInt64}, {type:String},
       {severity:String}, unhex({token:String}), {name:String}, {symbol:String}, {details:String},
       {recommendation:String}, {blockNumber:UInt64}, unhex({blockHash:String}), {logIndex:UInt32},
       unhex({txHash:String}), fromUnixTimestamp64Milli({createdAtMs:Int64}, 'UTC'),
       {version:UInt64}, {isWithdrawn:UInt8}`,
    {
      ...alert,
      token: alert.token.address.slice(2),
      name: alert.token.name,
      symbol: alert.token.symbol,
      details: JSON.stringify(alert.details),
      blockHash: alert.blockHash.slice(2),
      txHash: alert.txHash.slice(2),
      version: options.isWithdrawn ? 2 : 1,
      isWithdrawn: options.isWithdrawn ? 1 : 0,
    },
  );
