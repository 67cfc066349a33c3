-- Views for analysts show addresses as text. The index by_text of a table says which text lies in which of its granules, in the order of the key, so
-- that a filter by address on a view reads a few of them. Merges write it; inserts leave it out (exclude_materialize_skip_indexes_on_insert
-- in deploy/clickhouse/users.xml). The views read with the rights of who made them: analysts have none on tables.

-- ERC-20 transfers as they were read. A reorg inserts tombstones; read with FINAL.
CREATE TABLE IF NOT EXISTS fact_transfers (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'Contract that logged the transfer',
  block_number UInt64 COMMENT 'Number of the block' CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32) COMMENT 'Hash of the block' CODEC(ZSTD(1)),
  log_index UInt32 COMMENT 'Index of the log in its block' CODEC(ZSTD(1)),
  timestamp DateTime('UTC') COMMENT 'Time of the block' CODEC(Delta, ZSTD(1)),
  tx_hash FixedString(32) COMMENT 'Hash of the transaction' CODEC(ZSTD(1)),
  tx_index UInt32 COMMENT 'Index of the transaction in its block' CODEC(ZSTD(1)),
  from_address FixedString(20) COMMENT 'Sender, zero for a mint' CODEC(ZSTD(1)),
  to_address FixedString(20) COMMENT 'Recipient, zero for a burn' CODEC(ZSTD(1)),
  value UInt256 COMMENT 'Amount in the smallest unit of the token' CODEC(ZSTD(1)),
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX block_range block_number TYPE minmax GRANULARITY 1,
  INDEX by_text concat('0x', lower(hex(token))) TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, token, block_number, block_hash, log_index);

-- Native currency moved by top-level transactions.
CREATE TABLE IF NOT EXISTS fact_native_transfers (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  to_address FixedString(20) COMMENT 'Recipient' CODEC(ZSTD(1)),
  block_number UInt64 COMMENT 'Number of the block' CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32) COMMENT 'Hash of the block' CODEC(ZSTD(1)),
  tx_index UInt32 COMMENT 'Index of the transaction in its block' CODEC(ZSTD(1)),
  timestamp DateTime('UTC') COMMENT 'Time of the block' CODEC(Delta, ZSTD(1)),
  tx_hash FixedString(32) COMMENT 'Hash of the transaction' CODEC(ZSTD(1)),
  from_address FixedString(20) COMMENT 'Sender' CODEC(ZSTD(1)),
  value UInt256 COMMENT 'Amount in wei' CODEC(ZSTD(1)),
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX block_range block_number TYPE minmax GRANULARITY 1,
  INDEX by_text concat('0x', lower(hex(to_address))) TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, to_address, block_number, block_hash, tx_index);

-- Sync, Swap, Mint and Burn of Uniswap V2 pools. Columns a kind does not have are 0.
CREATE TABLE IF NOT EXISTS fact_pool_events (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  pool FixedString(20) COMMENT 'Contract of the pool',
  block_number UInt64 COMMENT 'Number of the block' CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32) COMMENT 'Hash of the block' CODEC(ZSTD(1)),
  log_index UInt32 COMMENT 'Index of the log in its block' CODEC(ZSTD(1)),
  timestamp DateTime('UTC') COMMENT 'Time of the block' CODEC(Delta, ZSTD(1)),
  tx_hash FixedString(32) COMMENT 'Hash of the transaction' CODEC(ZSTD(1)),
  tx_index UInt32 COMMENT 'Index of the transaction in its block' CODEC(ZSTD(1)),
  kind Enum8('sync' = 1, 'swap' = 2, 'mint' = 3, 'burn' = 4) COMMENT 'Which log it was',
  sender FixedString(20) COMMENT 'Who called the pool, zero for a sync' CODEC(ZSTD(1)),
  recipient FixedString(20) COMMENT 'Who received, zero for a sync and a mint' CODEC(ZSTD(1)),
  amount0_in UInt256 COMMENT 'token0 paid in, smallest units' CODEC(ZSTD(1)),
  amount1_in UInt256 COMMENT 'token1 paid in, smallest units' CODEC(ZSTD(1)),
  amount0_out UInt256 COMMENT 'token0 paid out, smallest units' CODEC(ZSTD(1)),
  amount1_out UInt256 COMMENT 'token1 paid out, smallest units' CODEC(ZSTD(1)),
  reserve0 UInt256 COMMENT 'Reserve of token0 after a sync, smallest units' CODEC(ZSTD(1)),
  reserve1 UInt256 COMMENT 'Reserve of token1 after a sync, smallest units' CODEC(ZSTD(1)),
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX block_range block_number TYPE minmax GRANULARITY 1,
  INDEX by_text concat('0x', lower(hex(pool))) TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, pool, block_number, block_hash, log_index);

-- Markets by the logs that created them, of any factory. A market is named by 32 bytes: the id of an entry of a manager (Uniswap V4,
-- Balancer V2), or the address of a contract after twelve zero bytes. By tokens, pools of Uniswap V2 are found in dim_pools, others by the
-- indexes here: with the protocol first in the key, each read leaves the others out. A market that was created before anything was read
-- has a row of protocol asked at a trade: a reorg that takes back the trade takes it back too, as another contract may lie there.
CREATE TABLE IF NOT EXISTS fact_markets (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  market FixedString(32) COMMENT 'Id of the pool in its manager, or its contract after twelve zero bytes, of four.meme the token' CODEC(ZSTD(1)),
  block_number UInt64 COMMENT 'Number of the block' CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32) COMMENT 'Hash of the block' CODEC(ZSTD(1)),
  log_index UInt32 COMMENT 'Index of the log in its block' CODEC(ZSTD(1)),
  timestamp DateTime('UTC') COMMENT 'Time of the block' CODEC(Delta, ZSTD(1)),
  tx_hash FixedString(32) COMMENT 'Hash of the transaction' CODEC(ZSTD(1)),
  tx_index UInt32 COMMENT 'Index of the transaction in its block' CODEC(ZSTD(1)),
  protocol Enum8('asked' = 0, 'uniswap_v2' = 1, 'uniswap_v3' = 2, 'pancake_v3' = 3, 'uniswap_v4' = 4, 'solidly' = 5, 'slipstream' = 6, 'balancer_v2' = 7, 'four_meme' = 8, 'virtuals' = 9) COMMENT 'How the market works, asked: created before anything was read, its tokens as its contract answered at a trade in this block',
  factory FixedString(20) COMMENT 'Contract that logged the creation, the manager where the protocol has one' CODEC(ZSTD(1)),
  token0 FixedString(20) COMMENT 'One side, zero: native currency, of a bonding curve the token it sells' CODEC(ZSTD(1)),
  token1 FixedString(20) COMMENT 'The other side, zero: native currency, or not logged by a bonding curve' CODEC(ZSTD(1)),
  fee UInt32 COMMENT 'Fee of a trade in millionths, 0: none logged, of Uniswap V4 8388608: the hook sets it' CODEC(ZSTD(1)),
  tick_spacing Int32 COMMENT 'Ticks between the edges of ranges, 0: no ranges' CODEC(ZSTD(1)),
  stable UInt8 COMMENT '1: Solidly pool for two tokens of one worth' CODEC(ZSTD(1)),
  hooks FixedString(20) COMMENT 'Contract that Uniswap V4 calls before and after everything, zero: none' CODEC(ZSTD(1)),
  sqrt_price_x96 UInt256 COMMENT 'Square root of the first price (token1 for one token0, smallest units) times 2^96, 0: not logged here' CODEC(ZSTD(1)),
  tick Int32 COMMENT 'Tick of the first price, 0 also: not logged here' CODEC(ZSTD(1)),
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX block_range block_number TYPE minmax GRANULARITY 1,
  INDEX by_token0 token0 TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX by_token1 token1 TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, protocol, market, block_number, block_hash, log_index)
SETTINGS index_granularity = 1024;

-- What happened in markets beside Uniswap V2, a row a log. What a log does not contain is 0. A market's name says nothing by itself where its
-- protocol has managers: any contract can log it, so an event counts when its manager is the one that created the market.
CREATE TABLE IF NOT EXISTS fact_market_events (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  market FixedString(32) COMMENT 'Id of the pool in its manager, or its contract after twelve zero bytes, of four.meme the token' CODEC(ZSTD(1)),
  block_number UInt64 COMMENT 'Number of the block' CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32) COMMENT 'Hash of the block' CODEC(ZSTD(1)),
  log_index UInt32 COMMENT 'Index of the log in its block' CODEC(ZSTD(1)),
  timestamp DateTime('UTC') COMMENT 'Time of the block' CODEC(Delta, ZSTD(1)),
  tx_hash FixedString(32) COMMENT 'Hash of the transaction' CODEC(ZSTD(1)),
  tx_index UInt32 COMMENT 'Index of the transaction in its block' CODEC(ZSTD(1)),
  protocol Enum8('uniswap_v2' = 1, 'uniswap_v3' = 2, 'pancake_v3' = 3, 'uniswap_v4' = 4, 'solidly' = 5, 'slipstream' = 6, 'balancer_v2' = 7, 'four_meme' = 8, 'virtuals' = 9) COMMENT 'Whose log it is: Slipstream and Pancake V3 log much of what Uniswap V3 logs' CODEC(ZSTD(1)),
  manager FixedString(20) COMMENT 'Contract that logged it, zero: the market itself' CODEC(ZSTD(1)),
  kind Enum8('sync' = 1, 'swap' = 2, 'mint' = 3, 'burn' = 4, 'collect' = 5, 'priced' = 6, 'graduated' = 7) COMMENT 'Reserves, trade, liquidity added, liquidity removed, tokens of a position paid out, first price, curve moved to a pool' CODEC(ZSTD(1)),
  sender FixedString(20) COMMENT 'Who called the market' CODEC(ZSTD(1)),
  recipient FixedString(20) COMMENT 'Who received' CODEC(ZSTD(1)),
  amount0_in UInt256 COMMENT 'token0 paid in, smallest units' CODEC(ZSTD(1)),
  amount1_in UInt256 COMMENT 'token1 paid in, smallest units' CODEC(ZSTD(1)),
  amount0_out UInt256 COMMENT 'token0 paid out, smallest units, of a burn of Uniswap V3 owed, and paid with a collect' CODEC(ZSTD(1)),
  amount1_out UInt256 COMMENT 'token1 paid out, smallest units, of a burn of Uniswap V3 owed, and paid with a collect' CODEC(ZSTD(1)),
  reserve0 UInt256 COMMENT 'Reserve of token0 after the event, smallest units, of a curve what it still offers' CODEC(ZSTD(1)),
  reserve1 UInt256 COMMENT 'Reserve of token1 after the event, smallest units, of a curve what it raised' CODEC(ZSTD(1)),
  token0 FixedString(20) COMMENT 'Side of amount0, zero: as in the creation of the market' CODEC(ZSTD(1)),
  token1 FixedString(20) COMMENT 'Side of amount1, zero: as in the creation of the market' CODEC(ZSTD(1)),
  sqrt_price_x96 UInt256 COMMENT 'Square root of the price after the event (token1 for one token0, smallest units) times 2^96' CODEC(ZSTD(1)),
  liquidity UInt256 COMMENT 'Liquidity in range after a trade' CODEC(ZSTD(1)),
  tick Int32 COMMENT 'Tick of the price after the event' CODEC(ZSTD(1)),
  position_owner FixedString(20) COMMENT 'Owner of the position that changed' CODEC(ZSTD(1)),
  position_salt FixedString(32) COMMENT 'Uniswap V4: distinguishes the positions of one owner in one range' CODEC(ZSTD(1)),
  tick_lower Int32 COMMENT 'Lower edge of the position that changed' CODEC(ZSTD(1)),
  tick_upper Int32 COMMENT 'Upper edge of the position that changed' CODEC(ZSTD(1)),
  position_liquidity UInt256 COMMENT 'By how much its liquidity changed: more for a mint, less for a burn' CODEC(ZSTD(1)),
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX block_range block_number TYPE minmax GRANULARITY 1,
  INDEX by_text concat('0x', substring(lower(hex(market)), if(protocol = 'uniswap_v4' OR protocol = 'balancer_v2', 1, 25))) TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, market, block_number, block_hash, log_index);

-- OwnershipTransferred of any contract.
CREATE TABLE IF NOT EXISTS fact_ownership_transfers (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  contract FixedString(20) COMMENT 'Contract whose owner changed',
  block_number UInt64 COMMENT 'Number of the block' CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32) COMMENT 'Hash of the block' CODEC(ZSTD(1)),
  log_index UInt32 COMMENT 'Index of the log in its block',
  timestamp DateTime('UTC') COMMENT 'Time of the block',
  tx_hash FixedString(32) COMMENT 'Hash of the transaction',
  tx_index UInt32 COMMENT 'Index of the transaction in its block',
  previous_owner FixedString(20) COMMENT 'Owner before',
  new_owner FixedString(20) COMMENT 'Owner from here on, zero: renounced',
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX block_range block_number TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, contract, block_number, block_hash, log_index);

-- What lockers log, and what becomes of positions that can be locked. Anyone can log a lock: what it holds follows from transfers.
CREATE TABLE IF NOT EXISTS fact_locks (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  asset FixedString(20) COMMENT 'Token that is locked, of liquidity its pool, or the manager of positions, zero: not in this log',
  block_number UInt64 COMMENT 'Number of the block' CODEC(Delta, ZSTD(1)),
  block_hash FixedString(32) COMMENT 'Hash of the block' CODEC(ZSTD(1)),
  log_index UInt32 COMMENT 'Index of the log in its block' CODEC(ZSTD(1)),
  timestamp DateTime('UTC') COMMENT 'Time of the block' CODEC(Delta, ZSTD(1)),
  tx_hash FixedString(32) COMMENT 'Hash of the transaction' CODEC(ZSTD(1)),
  tx_index UInt32 COMMENT 'Index of the transaction in its block' CODEC(ZSTD(1)),
  position UInt256 COMMENT 'Id of the position (NFT) in its manager, 0: none' CODEC(ZSTD(1)),
  act Enum8('locked' = 1, 'extended' = 2, 'added' = 3, 'withdrawn' = 4, 'handedOver' = 5, 'increased' = 6, 'decreased' = 7, 'moved' = 8) COMMENT 'What happened: to a lock (locked to handedOver), or to a position (increased, decreased, moved to another owner)' CODEC(ZSTD(1)),
  locker FixedString(20) COMMENT 'Contract that logged the lock, zero for a position' CODEC(ZSTD(1)),
  lock_id UInt256 COMMENT 'Number that the locker gave the lock, 0 also: it gives none' CODEC(ZSTD(1)),
  owner FixedString(20) COMMENT 'Who may take it out, after handedOver and moved the new one, zero: not logged' CODEC(ZSTD(1)),
  amount UInt256 COMMENT 'Smallest units, of a position liquidity: what is locked, with extended what still is, else the change, 0 also: not logged' CODEC(ZSTD(1)),
  unlock_at UInt64 COMMENT 'Unix time in seconds at which the locker says it unlocks, 0: not logged' CODEC(ZSTD(1)),
  market FixedString(20) COMMENT 'Pool that the liquidity of a position went to, zero: not logged' CODEC(ZSTD(1)),
  version UInt64 COMMENT 'Version of the row by reorg epoch: 2 x epoch, a tombstone 2 x epoch - 1',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more',
  INDEX block_range block_number TYPE minmax GRANULARITY 1,
  INDEX unlock_range unlock_at TYPE minmax GRANULARITY 1,
  INDEX by_position position TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX by_market market TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, asset, block_number, block_hash, log_index)
SETTINGS index_granularity = 1024;

-- How far each reader of a chain has come.
CREATE TABLE IF NOT EXISTS chain_progress (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  reader Enum8('scorer' = 1, 'horizons' = 2, 'clusters' = 3) COMMENT 'Who has come so far: facts are stored, verdicts of all horizons are made, movements are stored and in the rings',
  block_number UInt64 COMMENT 'Last block it has done, 0 for horizons',
  block_hash FixedString(32) COMMENT 'Hash of that block, zero for horizons',
  timestamp DateTime('UTC') COMMENT 'Time of that block, for horizons the time up to which they are scored',
  head UInt64 COMMENT 'Highest block the node announced, of the scorer alone',
  epoch UInt64 COMMENT 'Reorgs of the chain so far, 0 for horizons',
  updated_at DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'When the row was written',
  version UInt64 COMMENT 'Version of the row: the chain position, epoch x 2^36 + block, for horizons Unix milliseconds'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (chain_id, reader);

-- For analysts: canonical native transfers with readable addresses.
CREATE VIEW IF NOT EXISTS native_transfers (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  block_number UInt64 COMMENT 'Number of the block',
  block_hash String COMMENT 'Hash of the block',
  tx_index UInt32 COMMENT 'Index of the transaction in its block',
  timestamp DateTime('UTC') COMMENT 'Time of the block',
  tx_hash String COMMENT 'Hash of the transaction',
  from_address String COMMENT 'Sender',
  to_address String COMMENT 'Recipient',
  value UInt256 COMMENT 'Amount in wei'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, f.block_number AS block_number, concat('0x', lower(hex(f.block_hash))) AS block_hash, f.tx_index AS tx_index,
  f.timestamp AS timestamp, concat('0x', lower(hex(f.tx_hash))) AS tx_hash, concat('0x', lower(hex(f.from_address))) AS from_address, concat('0x', lower(hex(f.to_address))) AS to_address,
  f.value AS value
FROM fact_native_transfers AS f FINAL;

-- For analysts: Uniswap V2 pools created on the canonical chain.
CREATE VIEW IF NOT EXISTS pools (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  pool String COMMENT 'Contract of the pool',
  factory String COMMENT 'Contract that logged PairCreated',
  token0 String COMMENT 'Token with the lower address',
  token1 String COMMENT 'Token with the higher address',
  block_number UInt64 COMMENT 'Number of the block',
  block_hash String COMMENT 'Hash of the block',
  log_index UInt32 COMMENT 'Index of the log in its block',
  timestamp DateTime('UTC') COMMENT 'Time of the block',
  tx_hash String COMMENT 'Hash of the transaction'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', substring(lower(hex(f.market)), 25)) AS pool, concat('0x', lower(hex(f.factory))) AS factory, concat('0x', lower(hex(f.token0))) AS token0, concat('0x', lower(hex(f.token1))) AS token1,
  f.block_number AS block_number, concat('0x', lower(hex(f.block_hash))) AS block_hash, f.log_index AS log_index, f.timestamp AS timestamp,
  concat('0x', lower(hex(f.tx_hash))) AS tx_hash
FROM fact_markets AS f FINAL WHERE f.protocol = 'uniswap_v2';

-- For analysts: canonical Sync, Swap, Mint and Burn events with readable addresses.
CREATE VIEW IF NOT EXISTS pool_events (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  pool String COMMENT 'Contract of the pool',
  kind Enum8('sync' = 1, 'swap' = 2, 'mint' = 3, 'burn' = 4) COMMENT 'Which log it was',
  block_number UInt64 COMMENT 'Number of the block',
  block_hash String COMMENT 'Hash of the block',
  log_index UInt32 COMMENT 'Index of the log in its block',
  timestamp DateTime('UTC') COMMENT 'Time of the block',
  tx_hash String COMMENT 'Hash of the transaction',
  sender String COMMENT 'Who called the pool, zero for a sync',
  recipient String COMMENT 'Who received, zero for a sync and a mint',
  amount0_in UInt256 COMMENT 'token0 paid in, smallest units',
  amount1_in UInt256 COMMENT 'token1 paid in, smallest units',
  amount0_out UInt256 COMMENT 'token0 paid out, smallest units',
  amount1_out UInt256 COMMENT 'token1 paid out, smallest units',
  reserve0 UInt256 COMMENT 'Reserve of token0 after a sync, smallest units',
  reserve1 UInt256 COMMENT 'Reserve of token1 after a sync, smallest units'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.pool))) AS pool, f.kind AS kind, f.block_number AS block_number,
  concat('0x', lower(hex(f.block_hash))) AS block_hash, f.log_index AS log_index, f.timestamp AS timestamp, concat('0x', lower(hex(f.tx_hash))) AS tx_hash,
  concat('0x', lower(hex(f.sender))) AS sender, concat('0x', lower(hex(f.recipient))) AS recipient, f.amount0_in AS amount0_in, f.amount1_in AS amount1_in,
  f.amount0_out AS amount0_out, f.amount1_out AS amount1_out, f.reserve0 AS reserve0, f.reserve1 AS reserve1
FROM fact_pool_events AS f FINAL;

-- For analysts: canonical ownership changes with readable addresses.
CREATE VIEW IF NOT EXISTS ownership_transfers (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  contract String COMMENT 'Contract whose owner changed',
  block_number UInt64 COMMENT 'Number of the block',
  block_hash String COMMENT 'Hash of the block',
  log_index UInt32 COMMENT 'Index of the log in its block',
  timestamp DateTime('UTC') COMMENT 'Time of the block',
  tx_hash String COMMENT 'Hash of the transaction',
  previous_owner String COMMENT 'Owner before',
  new_owner String COMMENT 'Owner from here on, zero: renounced'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.contract))) AS contract, f.block_number AS block_number, concat('0x', lower(hex(f.block_hash))) AS block_hash,
  f.log_index AS log_index, f.timestamp AS timestamp, concat('0x', lower(hex(f.tx_hash))) AS tx_hash,
  concat('0x', lower(hex(f.previous_owner))) AS previous_owner, concat('0x', lower(hex(f.new_owner))) AS new_owner
FROM fact_ownership_transfers AS f FINAL;

-- For analysts: markets of all protocols created on the canonical chain, with their price and depth now. 92,108 ticks are a factor of 10,000. Curves of
-- Virtuals log what they start with and what moves, no reserves.
CREATE VIEW IF NOT EXISTS markets (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  protocol String COMMENT 'uniswap_v2, uniswap_v3, pancake_v3, uniswap_v4, solidly, slipstream, balancer_v2, four_meme or virtuals',
  market String COMMENT 'Contract of the pool, id of the pool in its manager (32 bytes), or token of a four.meme curve',
  factory String COMMENT 'Contract that logged the creation, the manager where the protocol has one',
  token0 String COMMENT 'One side, zero: native currency, of a bonding curve the token it sells',
  token1 String COMMENT 'The other side, zero: native currency, or not logged by a bonding curve',
  fee UInt32 COMMENT 'Fee of a trade in millionths, 0: none logged, of Uniswap V4 8388608: the hook sets it',
  tick_spacing Int32 COMMENT 'Ticks between the edges of ranges, 0: no ranges',
  stable UInt8 COMMENT '1: Solidly pool for two tokens of one worth',
  hooks String COMMENT 'Contract that Uniswap V4 calls before and after everything, zero: none',
  price Nullable(Float64) COMMENT 'token1 for one token0 now, smallest units, of a four.meme curve that of its last trade, null: no event shows it (a stable Solidly pool: its reserves are not its price), or the curve became a pool',
  depth0 Nullable(Float64) COMMENT 'token0 that can be taken out now, smallest units: its reserve, what a curve still offers (0: it became a pool), or of ranges what lies down to a 10,000th of the price',
  depth1 Nullable(Float64) COMMENT 'token1 that can be taken out now, smallest units: its reserve, what a curve raised, or of ranges what lies down to a 10,000th of the price',
  last_block UInt64 COMMENT 'Block of the last event, 0: none yet',
  block_number UInt64 COMMENT 'Number of the block',
  block_hash String COMMENT 'Hash of the block',
  log_index UInt32 COMMENT 'Index of the log in its block',
  timestamp DateTime('UTC') COMMENT 'Time of the block',
  transaction_hash String COMMENT 'Hash of the transaction'
) SQL SECURITY DEFINER AS
WITH
  (p, lower, upper) -> greatest(pow(1.0001, least(upper, log(p) / log(1.0001)) / 2) - pow(1.0001, greatest(lower, log(p) / log(1.0001) - 92108) / 2), 0) AS below,
  (p, lower, upper) -> greatest(pow(1.0001, -greatest(lower, log(p) / log(1.0001)) / 2) - pow(1.0001, -least(upper, log(p) / log(1.0001) + 92108) / 2), 0) AS above
SELECT m.chain_id AS chain_id, toString(m.protocol) AS protocol, concat('0x', substring(lower(hex(m.market)), if(m.protocol = 'uniswap_v4' OR m.protocol = 'balancer_v2', 1, 25))) AS market,
  concat('0x', lower(hex(any(m.factory)))) AS factory, concat('0x', lower(hex(any(m.token0)))) AS token0, concat('0x', lower(hex(any(m.token1)))) AS token1,
  any(m.fee) AS fee, any(m.tick_spacing) AS tick_spacing, any(m.stable) AS stable, concat('0x', lower(hex(any(m.hooks)))) AS hooks,
  any(multiIf(m.price > 0, m.price, m.stable = 1 OR m.held0 = 0 OR m.has_left = 1 OR (m.protocol = 'virtuals' AND m.start1 = 0), NULL, m.protocol = 'four_meme', if(m.last_price > 0, m.last_price, NULL), (toFloat64(m.start1) + toFloat64(m.held1)) / toFloat64(m.held0))) AS price,
  if(any(m.price) > 0, sum(r.liquidity * above(m.price, r.tick_lower, r.tick_upper)), if(any(m.last_block) = 0, NULL, any(if(m.has_left = 1, 0, toFloat64(m.held0))))) AS depth0,
  if(any(m.price) > 0, sum(r.liquidity * below(m.price, r.tick_lower, r.tick_upper)), if(any(m.last_block) = 0, NULL, any(if(m.has_left = 1, 0, toFloat64(m.held1))))) AS depth1,
  any(m.last_block) AS last_block, m.block_number AS block_number, concat('0x', lower(hex(m.block_hash))) AS block_hash, m.log_index AS log_index,
  any(m.timestamp) AS timestamp, concat('0x', lower(hex(any(m.tx_hash)))) AS transaction_hash
FROM (
  SELECT f.*, e.held0 AS held0, e.held1 AS held1, e.start1 AS start1, e.last_price AS last_price, e.last_block AS last_block, pow(toFloat64(if(e.sqrt_price > 0, e.sqrt_price, f.sqrt_price_x96)) / pow(2, 96), 2) AS price
  FROM (SELECT *, if(protocol IN ('uniswap_v4', 'four_meme'), factory, toFixedString('', 20)) AS by,
      (chain_id, market, factory) IN (SELECT chain_id, market, manager FROM fact_market_events FINAL WHERE kind = 'graduated') AS has_left FROM fact_markets FINAL WHERE protocol NOT IN ('asked', 'uniswap_v2')) AS f
  LEFT JOIN (
    SELECT chain_id, market, manager, argMaxIf(sqrt_price_x96, (block_number, log_index), sqrt_price_x96 > 0) AS sqrt_price,
      any(protocol) = 'virtuals' AS is_summed,
      argMaxIf((toFloat64(amount1_in) + toFloat64(amount1_out)) / (toFloat64(amount0_in) + toFloat64(amount0_out)), (block_number, log_index), kind = 'swap' AND protocol = 'four_meme') AS last_price,
      sumIf(amount1_in, protocol = 'virtuals' AND kind = 'mint') AS start1,
      if(is_summed, sumIf(toInt256(amount0_in) - toInt256(amount0_out), kind IN ('mint', 'swap')), toInt256(argMaxIf(reserve0, (block_number, log_index), kind = 'sync' OR reserve0 > 0 OR reserve1 > 0))) AS held0,
      if(is_summed, sumIf(toInt256(amount1_in) - toInt256(amount1_out), kind = 'swap'), toInt256(argMaxIf(reserve1, (block_number, log_index), kind = 'sync' OR reserve0 > 0 OR reserve1 > 0))) AS held1, max(block_number) AS last_block
    FROM fact_market_events FINAL GROUP BY chain_id, market, manager) AS e
  ON e.chain_id = f.chain_id AND e.market = f.market AND e.manager = f.by) AS m
LEFT JOIN (
  SELECT chain_id, market, manager, tick_lower, tick_upper, toFloat64(sum(if(kind = 'mint', 1, -1) * toInt256(position_liquidity))) AS liquidity
  FROM fact_market_events FINAL WHERE kind IN ('mint', 'burn') AND position_liquidity > 0 GROUP BY chain_id, market, manager, tick_lower, tick_upper) AS r
ON r.chain_id = m.chain_id AND r.market = m.market AND r.manager = m.by
GROUP BY m.chain_id, m.protocol, m.market, m.block_number, m.block_hash, m.log_index
UNION ALL
SELECT f.chain_id, 'uniswap_v2', concat('0x', substring(lower(hex(f.market)), 25)), concat('0x', lower(hex(f.factory))), concat('0x', lower(hex(f.token0))), concat('0x', lower(hex(f.token1))), 3000, 0, 0,
  concat('0x', repeat('0', 40)), if(e.held0 = 0, NULL, toFloat64(e.held1) / toFloat64(e.held0)), if(e.last_block = 0, NULL, toFloat64(e.held0)),
  if(e.last_block = 0, NULL, toFloat64(e.held1)), e.last_block,
  f.block_number, concat('0x', lower(hex(f.block_hash))), f.log_index, f.timestamp, concat('0x', lower(hex(f.tx_hash)))
FROM fact_markets AS f FINAL
LEFT JOIN (
  SELECT chain_id, toFixedString(concat(repeat('\0', 12), pool), 32) AS market, argMax(reserve0, (block_number, log_index)) AS held0, argMax(reserve1, (block_number, log_index)) AS held1, max(block_number) AS last_block
  FROM fact_pool_events FINAL WHERE kind = 'sync' GROUP BY chain_id, pool) AS e
ON e.chain_id = f.chain_id AND e.market = f.market
WHERE f.protocol = 'uniswap_v2';

-- For analysts: canonical events of markets beside Uniswap V2.
CREATE VIEW IF NOT EXISTS market_events (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  market String COMMENT 'Contract of the pool, id of the pool in its manager (32 bytes), or token of a four.meme curve',
  protocol String COMMENT 'Whose log it is: Slipstream and Pancake V3 log much of what Uniswap V3 logs',
  manager String COMMENT 'Contract that logged it, zero: the market itself',
  kind String COMMENT 'sync, swap, mint (liquidity added), burn (liquidity removed), collect (tokens of a position paid out), priced (first price) or graduated (curve moved to a pool)',
  block_number UInt64 COMMENT 'Number of the block',
  block_hash String COMMENT 'Hash of the block',
  log_index UInt32 COMMENT 'Index of the log in its block',
  timestamp DateTime('UTC') COMMENT 'Time of the block',
  tx_hash String COMMENT 'Hash of the transaction',
  sender String COMMENT 'Who called the market',
  recipient String COMMENT 'Who received',
  amount0_in UInt256 COMMENT 'token0 paid in, smallest units',
  amount1_in UInt256 COMMENT 'token1 paid in, smallest units',
  amount0_out UInt256 COMMENT 'token0 paid out, smallest units, of a burn of Uniswap V3 owed, and paid with a collect',
  amount1_out UInt256 COMMENT 'token1 paid out, smallest units, of a burn of Uniswap V3 owed, and paid with a collect',
  reserve0 UInt256 COMMENT 'Reserve of token0 after the event, smallest units, of a curve what it still offers',
  reserve1 UInt256 COMMENT 'Reserve of token1 after the event, smallest units, of a curve what it raised',
  sqrt_price_x96 UInt256 COMMENT 'Square root of the price after the event (token1 for one token0, smallest units) times 2^96',
  liquidity UInt256 COMMENT 'Liquidity in range after a trade',
  position_owner String COMMENT 'Owner of the position that changed, zero: none',
  tick_lower Int32 COMMENT 'Lower edge of the position that changed, ticks',
  tick_upper Int32 COMMENT 'Upper edge of the position that changed, ticks',
  position_liquidity UInt256 COMMENT 'By how much its liquidity changed: more for a mint, less for a burn'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', substring(lower(hex(f.market)), if(f.protocol = 'uniswap_v4' OR f.protocol = 'balancer_v2', 1, 25))) AS market, toString(f.protocol) AS protocol,
  concat('0x', lower(hex(f.manager))) AS manager, toString(f.kind) AS kind, f.block_number AS block_number, concat('0x', lower(hex(f.block_hash))) AS block_hash,
  f.log_index AS log_index, f.timestamp AS timestamp, concat('0x', lower(hex(f.tx_hash))) AS tx_hash, concat('0x', lower(hex(f.sender))) AS sender,
  concat('0x', lower(hex(f.recipient))) AS recipient, f.amount0_in AS amount0_in, f.amount1_in AS amount1_in, f.amount0_out AS amount0_out,
  f.amount1_out AS amount1_out, f.reserve0 AS reserve0, f.reserve1 AS reserve1, f.sqrt_price_x96 AS sqrt_price_x96, f.liquidity AS liquidity,
  concat('0x', lower(hex(f.position_owner))) AS position_owner, f.tick_lower AS tick_lower, f.tick_upper AS tick_upper, f.position_liquidity AS position_liquidity
FROM fact_market_events AS f FINAL;

-- For analysts: how far each reader of a chain has come.
CREATE VIEW IF NOT EXISTS progress (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  reader String COMMENT 'scorer (facts are stored), horizons (verdicts of all ages are made) or clusters (movements are in the rings)',
  block_number UInt64 COMMENT 'Last block it has done, 0 for horizons',
  timestamp DateTime('UTC') COMMENT 'Time of that block, for horizons the time up to which they are scored',
  head UInt64 COMMENT 'Highest block the node announced, of the scorer alone',
  updated_at DateTime64(3, 'UTC') COMMENT 'When it was written'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, toString(f.reader) AS reader, f.block_number AS block_number, f.timestamp AS timestamp, f.head AS head, f.updated_at AS updated_at
FROM chain_progress AS f FINAL;
