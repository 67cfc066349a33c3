-- Both tables follow from token_verdicts: shared/rules/tokenPlaces.ts says how, shared/platform/tokenLists.ts writes them.

-- Tokens in every order a list can have, under each check they fail, and under their folded names, with all that lists show: a page, a check
-- and a prefix of names are each one range of the key. One row a token and order (sorts 1 to 5), failed check (6) and term (7, 8).
-- value is the sort value as a number that keeps its order; text the one of sorts by text. What lists filter by is part of the key, so that
-- all rows of a place agree on it; terms are not filtered and have zeros there. A place that was left is a tombstone; of the rows of a place the
-- newest counts.
-- Where few of many places are wanted, the narrow columns are read of all: in parts of more than 64 MiB each is a file of its own (5
-- million rows are passed in 40 ms of a core instead of 260), and they are not worth a slow codec. Summaries are read of single places.
-- What lists filter by often lies together in an order they do not filter by: creations where analyses follow each other, confidences among
-- risks. Hence the indices.
-- Searches for letters within names read the rows that have all their trigrams: an index with the rows of each, 4.5 bytes a term on disk. A
-- Bloom filter for each granule lets half of all granules pass, for of random names 256 terms have most trigrams.
-- A merge leaves the files of that index to the kernel (github.com/ClickHouse/ClickHouse/issues/111269), which has written them within 35
-- seconds: so what was merged is kept for two minutes, and takes over where a power cut broke the merged part.
-- Searches by several checks go along an order: what fails is read with the place. It is not part of the key: the newest row decides.
CREATE TABLE IF NOT EXISTS token_sort_index (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  sort Enum8('created_at' = 1, 'confidence' = 2, 'risk_score' = 3, 'analyzed_at' = 4, 'symbol' = 5, 'check' = 6, 'symbol_term' = 7, 'name_term' = 8) COMMENT 'Column the list is sorted by, or what text holds: a failed check, the folded symbol or name',
  value UInt64 COMMENT 'Sort value as a number that keeps its order, 0 for sorts by text' CODEC(LZ4),
  text String COMMENT 'Sort value of sorts by text, id of the check, or folded symbol or name (compatibility forms, letter case, look-alikes), empty for others' CODEC(LZ4),
  token FixedString(20) COMMENT 'Contract of the token' CODEC(LZ4),
  is_scam UInt8 COMMENT '1: predicted SCAM, 0 for terms',
  percent UInt8 COMMENT 'Confidence as shown, percent, 0 for terms' CODEC(LZ4),
  risk UInt16 COMMENT 'Risk score as shown, hundredths of a percent, 0 for terms' CODEC(LZ4),
  created_at DateTime('UTC') COMMENT 'Creation of the token, zero for terms' CODEC(LZ4),
  summary_json String COMMENT 'What lists show of the token, as a JSON array: name, symbol, confidence, risk score, model, creation (Unix seconds), analysis (Unix milliseconds), block, empty for terms' CODEC(ZSTD(1)) SETTINGS (min_compress_block_size = 8192),
  seq UInt64 COMMENT 'Version of the row, grows with every change of the token: Unix microseconds' CODEC(LZ4),
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the token left this place',
  failed Array(LowCardinality(String)) COMMENT 'Ids of the checks that fail, sorted, none for terms',
  INDEX is_scam_span is_scam TYPE minmax GRANULARITY 16,
  INDEX percent_span percent TYPE minmax GRANULARITY 16,
  INDEX created_at_span created_at TYPE minmax GRANULARITY 16,
  INDEX levels toUInt8(((risk >= 2500) + (risk >= 5000)) + (risk >= 7500)) TYPE set(4) GRANULARITY 16,
  INDEX trigrams text TYPE text(tokenizer = ngrams(3))
)
ENGINE = ReplacingMergeTree(seq, is_deleted)
PRIMARY KEY (chain_id, sort, value, text, token)
ORDER BY (chain_id, sort, value, text, token, is_scam, percent, risk, created_at)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 67108864, merge_selector_base = 2, old_parts_lifetime = 120;

-- How many tokens there are of each kind that lists filter by: sums of what was added and taken.
-- Spans: all of time, by level of risk or (risk) by hundredths of it, months and days of creation from start on, and (check) those that fail a check.
CREATE TABLE IF NOT EXISTS token_totals (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  span Enum8('all' = 1, 'risk' = 2, 'month' = 3, 'day' = 4, 'check' = 5) COMMENT 'What start, risk and check_id select: all tokens, a risk score, a month or a day of creation, a check that fails',
  start Date COMMENT 'First day of the month or day, zero for other spans',
  risk UInt16 COMMENT 'Risk score as shown, hundredths of a percent, 0 but for span risk',
  check_id LowCardinality(String) COMMENT 'Id of the check that fails, empty but for span check',
  is_scam UInt8 COMMENT '1: predicted SCAM',
  level UInt8 COMMENT 'Risk level: 0 low, 1 medium, 2 high, 3 critical',
  percent UInt8 COMMENT 'Confidence as shown, percent',
  tokens Int64 COMMENT 'Number of tokens added, negative: taken away'
)
ENGINE = SummingMergeTree(tokens)
ORDER BY (chain_id, span, start, risk, check_id, is_scam, level, percent)
SETTINGS index_granularity = 1024;
