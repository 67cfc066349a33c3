-- Tokens in every order a list can have, with all that lists show: a page is one range of the key. One row a token and sort.
-- value is the sort value as a number that keeps its order; text the one of sorts by text. What lists filter by is part of the key, so that
-- all rows of a place agree on it. A place that was left is a tombstone; of the rows of a place the newest counts.
-- Where few of many places are wanted, the narrow columns are read of all: in parts of more than 64 MiB each is a file of its own (5
-- million rows are passed in 40 ms of a core instead of 260), and they are not worth a slow codec. Entries are read of single places.
-- What lists filter by often lies together in an order they do not filter by: births where analyses follow each other, confidences among
-- risks. Hence the indices.
-- Searches by several checks go along an order: what fails is read with the place. Not part of its key, the newest row tells.
CREATE TABLE IF NOT EXISTS token_places (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  sort Enum8('created_at' = 1, 'confidence' = 2, 'risk_score' = 3, 'analyzed_at' = 4, 'symbol' = 5) COMMENT 'Column the list is sorted by',
  value UInt64 COMMENT 'Sort value as a number that keeps its order, 0 for sorts by text' CODEC(LZ4),
  text String COMMENT 'Sort value of sorts by text, empty for others' CODEC(LZ4),
  token FixedString(20) COMMENT 'Contract of the token' CODEC(LZ4),
  is_scam UInt8 COMMENT '1: judged SCAM',
  percent UInt8 COMMENT 'Confidence as shown, percent' CODEC(LZ4),
  risk UInt16 COMMENT 'Risk score as shown, hundredths of a percent' CODEC(LZ4),
  created_at DateTime('UTC') COMMENT 'Birth of the token' CODEC(LZ4),
  entry String COMMENT 'What lists show of the token, as a JSON array: name, symbol, confidence, risk score, model, birth (Unix seconds), analysis (Unix milliseconds), block' CODEC(ZSTD(1)) SETTINGS (min_compress_block_size = 8192),
  seq UInt64 COMMENT 'Version of the row, grows with every change of the token: Unix microseconds' CODEC(LZ4),
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the token left this place',
  failed Array(LowCardinality(String)) COMMENT 'Ids of the checks that fail, sorted',
  INDEX is_scam_span is_scam TYPE minmax GRANULARITY 16,
  INDEX percent_span percent TYPE minmax GRANULARITY 16,
  INDEX created_at_span created_at TYPE minmax GRANULARITY 16,
  INDEX levels toUInt8(((risk >= 2500) + (risk >= 5000)) + (risk >= 7500)) TYPE set(4) GRANULARITY 16
)
ENGINE = ReplacingMergeTree(seq, is_deleted)
PRIMARY KEY (chain_id, sort, value, text, token)
ORDER BY (chain_id, sort, value, text, token, is_scam, percent, risk, created_at)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 67108864, merge_selector_base = 2;

-- How many tokens there are of each kind that lists filter by: sums of what was added and taken.
-- Spans: all of time, by level of risk or (risk) by hundredths of it, months and days of birth from start on, and (check) those that fail a check.
CREATE TABLE IF NOT EXISTS token_totals (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  span Enum8('all' = 1, 'risk' = 2, 'month' = 3, 'day' = 4, 'check' = 5) COMMENT 'What start, risk and check_id select: all tokens, a risk score, a month or a day of birth, a check that fails',
  start Date COMMENT 'First day of the month or day, zero for other spans',
  risk UInt16 COMMENT 'Risk score as shown, hundredths of a percent, 0 but for span risk',
  check_id LowCardinality(String) COMMENT 'Id of the check that fails, empty but for span check',
  is_scam UInt8 COMMENT '1: judged SCAM',
  level UInt8 COMMENT 'Risk level: 0 low, 1 medium, 2 high, 3 critical',
  percent UInt8 COMMENT 'Confidence as shown, percent',
  tokens Int64 COMMENT 'Number of tokens added, negative: taken away'
)
ENGINE = SummingMergeTree(tokens)
ORDER BY (chain_id, span, start, risk, check_id, is_scam, level, percent)
SETTINGS index_granularity = 1024;

-- Names and symbols as they read: letters folded to what they look like. A term that was left is a tombstone.
CREATE TABLE IF NOT EXISTS token_terms (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  folded String COMMENT 'Name or symbol, folded: compatibility forms, letter case, look-alikes',
  field Enum8('symbol' = 1, 'name' = 2) COMMENT 'Which of both it is',
  token FixedString(20) COMMENT 'Contract of the token',
  seq UInt64 COMMENT 'Version of the row, grows with every change of the token: Unix microseconds',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the token gave the term up',
  INDEX by_part folded TYPE text(tokenizer = ngrams(3)) GRANULARITY 100000000
)
ENGINE = ReplacingMergeTree(seq, is_deleted)
ORDER BY (chain_id, folded, field, token)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1000000000000, merge_selector_base = 2;

-- Tokens by the checks that fail, with all that lists show and filter by. A check that no longer fails is a tombstone.
CREATE TABLE IF NOT EXISTS token_checks (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  check_id LowCardinality(String) COMMENT 'Id of a check that fails',
  token FixedString(20) COMMENT 'Contract of the token',
  is_scam UInt8 COMMENT '1: judged SCAM',
  percent UInt8 COMMENT 'Confidence as shown, percent',
  risk UInt16 COMMENT 'Risk score as shown, hundredths of a percent',
  created_at DateTime('UTC') COMMENT 'Birth of the token',
  failed Array(LowCardinality(String)) COMMENT 'Ids of the checks that fail, sorted',
  entry String COMMENT 'What lists show of the token, as a JSON array: name, symbol, confidence, risk score, model, birth (Unix seconds), analysis (Unix milliseconds), block' CODEC(ZSTD(1)),
  seq UInt64 COMMENT 'Version of the row, grows with every change of the token: Unix microseconds',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the check fails no more'
)
ENGINE = ReplacingMergeTree(seq, is_deleted)
ORDER BY (chain_id, check_id, token)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1000000000000, merge_selector_base = 2;

-- The observed features of each token's verdict in force: searches filter by them without reading documents. In the order of birth, because
-- searches look at neighbours in that order most. A token whose birth was corrected stays under the former one too: read together with the
-- birth that its place tells.
CREATE TABLE IF NOT EXISTS features_by_birth (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  created_at DateTime('UTC') COMMENT 'Birth of the token',
  token FixedString(20) COMMENT 'Contract of the token',
  features Map(LowCardinality(String), Float64) COMMENT 'Observed features by name, units as in the model card' CODEC(ZSTD(1)),
  version UInt64 COMMENT 'Version of the row: chain position, epoch x 2^36 + block',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the row is no more'
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (chain_id, created_at, token)
SETTINGS index_granularity = 16, min_bytes_for_wide_part = 1000000000000, merge_selector_base = 2;

-- Tokens that became a scam or ceased to be one, by when that was stored: what a reader of messages may have missed.
CREATE TABLE IF NOT EXISTS verdict_turns (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  stored_at DateTime64(3, 'UTC') COMMENT 'When the change was stored',
  token FixedString(20) COMMENT 'Token that became a scam or ceased to be one'
)
ENGINE = ReplacingMergeTree
ORDER BY (chain_id, stored_at, token)
TTL toDateTime(stored_at) + INTERVAL 7 DAY;

-- The views below move a token from what it was (previous) to what its row makes of it, in the insert of the row itself. Written again, a row
-- makes the same rows again.

-- Every verdict moves its token in all orders, and rewrites what they show of it.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_places_view TO token_places AS
SELECT chain_id, CAST(place.1, 'Enum8(\'created_at\' = 1, \'confidence\' = 2, \'risk_score\' = 3, \'analyzed_at\' = 4, \'symbol\' = 5)') AS sort,
  place.2 AS value, place.3 AS text, token, place.4 AS is_scam, place.5 AS percent, place.6 AS risk, place.7 AS created_at,
  if(place.8 = 1, '', entry) AS entry, if(place.8 = 1, [], failed) AS failed, seq, place.8 AS is_deleted
FROM (
  SELECT chain_id, token, entry, failed, seq,
    if(is_deleted = 1, [], arrayMap(key -> (key.1, key.2, key.3, is_scam, percent, risk, created_at), [
      (toInt8(1), toUInt64(toUnixTimestamp(created_at)), ''), (toInt8(2), reinterpretAsUInt64(confidence), ''),
      (toInt8(3), reinterpretAsUInt64(risk_score), ''), (toInt8(4), toUInt64(toUnixTimestamp64Milli(analyzed_at)), ''),
      (toInt8(5), toUInt64(0), symbol)])) AS live,
    if(previous.existed = 0, [], arrayMap(key -> (key.1, key.2, key.3, previous.is_scam, toUInt8(floor(previous.confidence * 100 + 0.5)),
        toUInt16(floor(previous.risk_score * 100 + 0.5)), previous.created_at), [
      (toInt8(1), toUInt64(toUnixTimestamp(previous.created_at)), ''), (toInt8(2), reinterpretAsUInt64(previous.confidence), ''),
      (toInt8(3), reinterpretAsUInt64(previous.risk_score), ''), (toInt8(4), toUInt64(toUnixTimestamp64Milli(previous.analyzed_at)), ''),
      (toInt8(5), toUInt64(0), previous.symbol)])) AS left,
    arrayConcat(
      arrayMap(place -> (place.1, place.2, place.3, place.4, place.5, place.6, place.7, toUInt8(0)), live),
      arrayMap(place -> (place.1, place.2, place.3, place.4, place.5, place.6, place.7, toUInt8(1)),
        arrayFilter(place -> NOT has(live, place), left))) AS places
  FROM token_verdicts
) ARRAY JOIN places AS place;

-- Every verdict takes its token from the counts it was in and adds it to those it is in.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_totals_view TO token_totals AS
SELECT chain_id, CAST(counted.1, 'Enum8(\'all\' = 1, \'risk\' = 2, \'month\' = 3, \'day\' = 4, \'check\' = 5)') AS span, counted.2 AS start,
  counted.3 AS risk, counted.4 AS check_id, cell.1 AS is_scam, toUInt8((cell.3 >= 2500) + (cell.3 >= 5000) + (cell.3 >= 7500)) AS level,
  cell.2 AS percent, sum(cell.6) AS tokens
FROM (
  SELECT chain_id, arrayConcat(
    if(is_deleted = 1, [], [(is_scam, percent, risk, toDate(created_at), failed, toInt64(1))]),
    if(previous.existed = 0, [], [(previous.is_scam, toUInt8(floor(previous.confidence * 100 + 0.5)),
      toUInt16(floor(previous.risk_score * 100 + 0.5)), toDate(previous.created_at), previous.failed, toInt64(-1))])) AS cells
  FROM token_verdicts WHERE previous.is_repeat = 0
) ARRAY JOIN cells AS cell
ARRAY JOIN arrayConcat(
  [(toInt8(1), toDate(0), toUInt16(0), ''), (toInt8(2), toDate(0), cell.3, ''), (toInt8(3), toStartOfMonth(cell.4), toUInt16(0), ''),
    (toInt8(4), cell.4, toUInt16(0), '')],
  arrayMap(id -> (toInt8(5), toDate(0), toUInt16(0), toString(id)), cell.5)) AS counted
GROUP BY chain_id, span, start, risk, check_id, is_scam, level, percent
HAVING tokens != 0;

-- Names and symbols of tokens, folded: compatibility forms, letter case, then letters that look like Latin ones. A repeat tells them all again.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_terms_view TO token_terms AS
SELECT chain_id, translateUTF8(lowerUTF8(normalizeUTF8NFKC(term.2)), 'аαɑ∂ӑӓάǎăāąьвβƅʙбсςᴄσçćč¢ԁɗđďᴅеєεҽёэēėęěɇғϝƒɡցԍɢğģġһнηհꮒʜіιıɩӏίïīíìľłḷјϳʝкκķᴋмμᴍпνńňņɴռоοօøōőóòöⲟрρᴘþԛգɋгѓʀŕřŗᴦѕꜱşšśșтτţťțᴛ†υսцūůűųʋѵᴠԝωшɯŵхχ×уүγýÿʏᴢζžźżʐ', 'aaaaaaaaaaabbbbbbccccccccdddddeeeeeeeeeeefffggggggghhhhhhiiiiiiiiiiiiijjjkkkkmmmnnnnnnnooooooooooppppqqqrrrrrrrsssssstttttttuuuuuuuuvvwwwwwxxxyyyyyyzzzzzz') AS folded,
  CAST(term.1, 'Enum8(\'symbol\' = 1, \'name\' = 2)') AS field, token, seq, term.3 AS is_deleted
FROM (
  SELECT chain_id, token, seq,
    if(is_deleted = 1, [], [(toInt8(1), symbol), (toInt8(2), name)]) AS live,
    if(previous.existed = 0, [], [(toInt8(1), previous.symbol), (toInt8(2), previous.name)]) AS left,
    arrayConcat(
      arrayMap(term -> (term.1, term.2, toUInt8(1)), arrayFilter(term -> NOT has(live, term), left)),
      arrayMap(term -> (term.1, term.2, toUInt8(0)), arrayFilter(term -> previous.is_repeat = 1 OR NOT has(left, term), live))) AS terms
  FROM token_verdicts
) ARRAY JOIN terms AS term;

-- Every verdict rewrites what its failed checks show of its token, and takes it from those that fail no more.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_checks_view TO token_checks AS
SELECT chain_id, listed.1 AS check_id, token, is_scam, percent, risk, created_at,
  if(listed.2 = 1, [], failed) AS failed, if(listed.2 = 1, '', entry) AS entry, seq, listed.2 AS is_deleted
FROM (
  SELECT chain_id, token, is_scam, percent, risk, created_at, failed, entry, seq,
    if(is_deleted = 1, [], failed) AS live, if(previous.existed = 0, [], previous.failed) AS left,
    arrayConcat(arrayMap(id -> (id, toUInt8(0)), live),
      arrayMap(id -> (id, toUInt8(1)), arrayFilter(id -> NOT has(live, id), left))) AS changes
  FROM token_verdicts
) ARRAY JOIN changes AS listed;

CREATE MATERIALIZED VIEW IF NOT EXISTS features_by_birth_view TO features_by_birth AS
SELECT chain_id, created_at, token, JSONExtract(doc, 'features', 'Map(String, Float64)') AS features, version, is_deleted
FROM token_verdicts;

-- Made in the insert of the verdict itself, so that no crash comes between.
CREATE MATERIALIZED VIEW IF NOT EXISTS verdict_turns_view TO verdict_turns AS
SELECT chain_id, now64(3, 'UTC') AS stored_at, token
FROM token_verdicts
WHERE (is_deleted = 0 AND is_scam = 1) != (previous.existed = 1 AND previous.is_scam = 1);
