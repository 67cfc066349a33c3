-- What lists sort and filter tokens by: as it is, and as it was before the last change.
-- percent and risk (hundredths) are rounded as the API shows them. seq grows with every change.
-- entry is what lists show of a token, as a JSON array: see token_entries_view.
CREATE TABLE IF NOT EXISTS token_entries (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token FixedString(20) COMMENT 'Contract of the token',
  is_gone UInt8 COMMENT '1: the token has no verdict',
  entry String COMMENT 'What lists show of the token, as a JSON array: name, symbol, confidence, risk score, model, birth (Unix seconds), analysis (Unix milliseconds), block' CODEC(ZSTD(1)),
  name String COMMENT 'Name',
  symbol String COMMENT 'Symbol',
  is_scam UInt8 COMMENT '1: judged SCAM',
  confidence Float64 COMMENT 'Calibrated probability of the prediction, 0 to 1',
  percent UInt8 COMMENT 'Confidence as shown, percent',
  risk_score Float64 COMMENT 'Probability of a scam in percent, 0 to 100',
  risk UInt16 COMMENT 'Risk score as shown, hundredths of a percent',
  created_at DateTime('UTC') COMMENT 'Birth of the token',
  analyzed_at DateTime64(3, 'UTC') COMMENT 'When the verdict was made',
  was_there UInt8 COMMENT '1: the token had a verdict before the last change',
  old_name String COMMENT 'Name, before the last change',
  old_symbol String COMMENT 'Symbol, before the last change',
  old_is_scam UInt8 COMMENT '1: judged SCAM, before the last change',
  old_confidence Float64 COMMENT 'Confidence, 0 to 1, before the last change',
  old_percent UInt8 COMMENT 'Confidence as shown, percent, before the last change',
  old_risk_score Float64 COMMENT 'Risk score, 0 to 100, before the last change',
  old_risk UInt16 COMMENT 'Risk score as shown, hundredths of a percent, before the last change',
  old_created_at DateTime('UTC') COMMENT 'Birth, before the last change',
  old_analyzed_at DateTime64(3, 'UTC') COMMENT 'Time of analysis, before the last change',
  version UInt64 COMMENT 'Version of the verdict the row was made of',
  seq UInt64 COMMENT 'Version of the row, grows with every change of the token: Unix nanoseconds',
  failed Array(LowCardinality(String)) COMMENT 'Ids of the checks that fail, sorted',
  old_failed Array(LowCardinality(String)) COMMENT 'Ids of the checks that failed, before the last change',
  is_repeat UInt8 DEFAULT 0 COMMENT '1: the same verdict written once more: what it was before is kept, counts leave it out'
)
ENGINE = ReplacingMergeTree(seq)
ORDER BY (chain_id, token)
SETTINGS index_granularity = 128, min_bytes_for_wide_part = 1000000000000, merge_selector_base = 2;

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
  seq UInt64 COMMENT 'Version of the row, grows with every change of the token: Unix nanoseconds' CODEC(LZ4),
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

-- How many tokens there are of each kind that lists filter by; sums of what was added and taken.
-- Spans: all of time, by level of risk or (risk) by hundredths of it; months and days of birth, from `start` on.
CREATE TABLE IF NOT EXISTS token_totals (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  span Enum8('all' = 1, 'risk' = 2, 'month' = 3, 'day' = 4) COMMENT 'What start and risk select: all tokens, a risk score, a month or a day of birth',
  start Date COMMENT 'First day of the span, zero for all and risk',
  risk UInt16 COMMENT 'Risk score as shown, hundredths of a percent, 0 but for span risk',
  is_scam UInt8 COMMENT '1: judged SCAM',
  level UInt8 COMMENT 'Risk level: 0 low, 1 medium, 2 high, 3 critical',
  percent UInt8 COMMENT 'Confidence as shown, percent',
  tokens Int64 COMMENT 'Number of tokens added, negative: taken away'
)
ENGINE = SummingMergeTree(tokens)
ORDER BY (chain_id, span, start, risk, is_scam, level, percent)
SETTINGS index_granularity = 1024;

-- Names and symbols as they read: letters folded to what they look like. A term that was left is a tombstone.
CREATE TABLE IF NOT EXISTS token_terms (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  folded String COMMENT 'Name or symbol, folded: compatibility forms, letter case, look-alikes',
  field Enum8('symbol' = 1, 'name' = 2) COMMENT 'Which of both it is',
  token FixedString(20) COMMENT 'Contract of the token',
  seq UInt64 COMMENT 'Version of the row, grows with every change of the token: Unix nanoseconds',
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
  seq UInt64 COMMENT 'Version of the row, grows with every change of the token: Unix nanoseconds',
  is_deleted UInt8 DEFAULT 0 COMMENT '1: tombstone, the check fails no more'
)
ENGINE = ReplacingMergeTree(seq, is_deleted)
ORDER BY (chain_id, check_id, token)
SETTINGS index_granularity = 256, min_bytes_for_wide_part = 1000000000000, merge_selector_base = 2;

-- How many tokens fail each check, by what else lists filter by; sums of what was added and taken.
CREATE TABLE IF NOT EXISTS check_totals (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  check_id LowCardinality(String) COMMENT 'Id of the check that fails',
  is_scam UInt8 COMMENT '1: judged SCAM',
  level UInt8 COMMENT 'Risk level: 0 low, 1 medium, 2 high, 3 critical',
  percent UInt8 COMMENT 'Confidence as shown, percent',
  tokens Int64 COMMENT 'Number of tokens added, negative: taken away'
)
ENGINE = SummingMergeTree(tokens)
ORDER BY (chain_id, check_id, is_scam, level, percent)
SETTINGS index_granularity = 1024;

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

-- Every verdict in force changes the state of its token, unless a newer verdict has already done so. The same verdict again is a repeat,
-- which keeps what the token was before. failed: ids of the checks that fail, sorted.
-- entry: name, symbol, confidence, risk score, model, birth (Unix seconds), analysis (Unix milliseconds), block.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_entries_view TO token_entries AS
SELECT chain_id, token, new.1 AS is_gone,
  toJSONString((new.2, new.3, new.5, new.6, new.9, toUnixTimestamp(new.7), toUnixTimestamp64Milli(new.8), new.10)) AS entry,
  new.2 AS name, new.3 AS symbol, new.4 AS is_scam,
  new.5 AS confidence, toUInt8(floor(new.5 * 100 + 0.5)) AS percent, new.6 AS risk_score, toUInt16(floor(new.6 * 100 + 0.5)) AS risk,
  new.7 AS created_at, new.8 AS analyzed_at,
  before.1 AS was_there, before.2 AS old_name, before.3 AS old_symbol, before.4 AS old_is_scam,
  before.5 AS old_confidence, before.6 AS old_percent, before.7 AS old_risk_score, before.8 AS old_risk, before.9 AS old_created_at,
  before.10 AS old_analyzed_at, new.11 AS failed, before.11 AS old_failed,
  new_version AS version, greatest(toUInt64(toUnixTimestamp64Nano(now64(9))), old_seq + 1) AS seq, is_repeat
FROM (
  SELECT chain_id, token, new, new_version, old_seq,
    toUInt8(old_seq > 0 AND new_version = old_version AND (new.1, new.2, new.3, new.4, new.5, new.6, new.7, new.8, new.11) =
      (old.1, old.2, old.3, old.4, old.5, old.7, old.9, old.10, old.11)) AS is_repeat,
    if(is_repeat = 1, older, (toUInt8(old_seq > 0 AND old.1 = 0), old.2, old.3, old.4, old.5, old.6, old.7, old.8, old.9, old.10, old.11)) AS before
  FROM (
    SELECT chain_id, token, max(version) AS new_version,
      argMax((is_deleted, name, symbol, toUInt8(prediction = 'SCAM'), confidence, risk_score, created_at, analyzed_at, toString(model), block_number,
        arraySort(arrayMap(check -> check.1, arrayFilter(check -> check.2 = 'fail', JSONExtract(doc, 'checks', 'Array(Tuple(id String, status String))'))))), version) AS new
    FROM token_verdicts GROUP BY chain_id, token
  ) AS verdicts
  LEFT JOIN (
    SELECT chain_id, token, max(seq) AS old_seq, argMax(version, seq) AS old_version,
      argMax((is_gone, name, symbol, is_scam, confidence, percent, risk_score, risk, created_at, analyzed_at, failed), seq) AS old,
      argMax((was_there, old_name, old_symbol, old_is_scam, old_confidence, old_percent, old_risk_score, old_risk, old_created_at, old_analyzed_at,
        old_failed), seq) AS older
    FROM token_entries WHERE (chain_id, token) IN (SELECT chain_id, token FROM token_verdicts) GROUP BY chain_id, token
  ) AS states USING (chain_id, token)
  WHERE new_version >= old_version
);

-- Every change of a token's state moves it in all orders, and rewrites what they show of it.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_places_view TO token_places AS
SELECT chain_id, CAST(place.1, 'Enum8(\'created_at\' = 1, \'confidence\' = 2, \'risk_score\' = 3, \'analyzed_at\' = 4, \'symbol\' = 5)') AS sort,
  place.2 AS value, place.3 AS text, token, place.4 AS is_scam, place.5 AS percent, place.6 AS risk, place.7 AS created_at,
  if(place.8 = 1, '', entry) AS entry, if(place.8 = 1, [], failed) AS failed, seq, place.8 AS is_deleted
FROM (
  SELECT chain_id, token, entry, failed, seq,
    if(is_gone = 1, [], arrayMap(key -> (key.1, key.2, key.3, is_scam, percent, risk, created_at), [
      (toInt8(1), toUInt64(toUnixTimestamp(created_at)), ''), (toInt8(2), reinterpretAsUInt64(confidence), ''),
      (toInt8(3), reinterpretAsUInt64(risk_score), ''), (toInt8(4), toUInt64(toUnixTimestamp64Milli(analyzed_at)), ''),
      (toInt8(5), toUInt64(0), symbol)])) AS live,
    if(was_there = 0, [], arrayMap(key -> (key.1, key.2, key.3, old_is_scam, old_percent, old_risk, old_created_at), [
      (toInt8(1), toUInt64(toUnixTimestamp(old_created_at)), ''), (toInt8(2), reinterpretAsUInt64(old_confidence), ''),
      (toInt8(3), reinterpretAsUInt64(old_risk_score), ''), (toInt8(4), toUInt64(toUnixTimestamp64Milli(old_analyzed_at)), ''),
      (toInt8(5), toUInt64(0), old_symbol)])) AS left,
    arrayConcat(
      arrayMap(place -> (place.1, place.2, place.3, place.4, place.5, place.6, place.7, toUInt8(0)), live),
      arrayMap(place -> (place.1, place.2, place.3, place.4, place.5, place.6, place.7, toUInt8(1)),
        arrayFilter(place -> NOT has(live, place), left))) AS places
  FROM token_entries
) ARRAY JOIN places AS place;

-- Every change of a token's state is taken from the counts it was in and added to those it is in; a repeat is none.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_totals_view TO token_totals AS
SELECT chain_id, CAST(counted.1, 'Enum8(\'all\' = 1, \'risk\' = 2, \'month\' = 3, \'day\' = 4)') AS span, counted.2 AS start, counted.3 AS risk,
  cell.1 AS is_scam, cell.2 AS level, cell.3 AS percent, sum(cell.6) AS tokens
FROM (
  SELECT chain_id, arrayConcat(
    if(is_gone = 1, [], [(is_scam, toUInt8((risk >= 2500) + (risk >= 5000) + (risk >= 7500)), percent, risk, toDate(created_at), toInt64(1))]),
    if(was_there = 0, [], [(old_is_scam, toUInt8((old_risk >= 2500) + (old_risk >= 5000) + (old_risk >= 7500)), old_percent, old_risk, toDate(old_created_at), toInt64(-1))])) AS cells
  FROM token_entries WHERE is_repeat = 0
) ARRAY JOIN cells AS cell
ARRAY JOIN [(toInt8(1), toDate(0), toUInt16(0)), (toInt8(2), toDate(0), cell.4), (toInt8(3), toStartOfMonth(cell.5), toUInt16(0)), (toInt8(4), cell.5, toUInt16(0))] AS counted
GROUP BY chain_id, span, start, risk, is_scam, level, percent
HAVING tokens != 0;

-- Names and symbols of tokens, folded; a repeat tells them all again. Folded: compatibility forms, letter case, then letters that look like
-- Latin ones.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_terms_view TO token_terms AS
SELECT chain_id, translateUTF8(lowerUTF8(normalizeUTF8NFKC(term.2)), 'аαɑ∂ӑӓάǎăāąьвβƅʙбсςᴄσçćč¢ԁɗđďᴅеєεҽёэēėęěɇғϝƒɡցԍɢğģġһнηհꮒʜіιıɩӏίïīíìľłḷјϳʝкκķᴋмμᴍпνńňņɴռоοօøōőóòöⲟрρᴘþԛգɋгѓʀŕřŗᴦѕꜱşšśșтτţťțᴛ†υսцūůűųʋѵᴠԝωшɯŵхχ×уүγýÿʏᴢζžźżʐ', 'aaaaaaaaaaabbbbbbccccccccdddddeeeeeeeeeeefffggggggghhhhhhiiiiiiiiiiiiijjjkkkkmmmnnnnnnnooooooooooppppqqqrrrrrrrsssssstttttttuuuuuuuuvvwwwwwxxxyyyyyyzzzzzz') AS folded,
  CAST(term.1, 'Enum8(\'symbol\' = 1, \'name\' = 2)') AS field, token, seq, term.3 AS is_deleted
FROM (
  SELECT chain_id, token, is_repeat, seq,
    if(is_gone = 1, [], [(toInt8(1), symbol), (toInt8(2), name)]) AS live,
    if(was_there = 0, [], [(toInt8(1), old_symbol), (toInt8(2), old_name)]) AS left,
    arrayConcat(
      arrayMap(term -> (term.1, term.2, toUInt8(1)), arrayFilter(term -> NOT has(live, term), left)),
      arrayMap(term -> (term.1, term.2, toUInt8(0)), arrayFilter(term -> is_repeat = 1 OR NOT has(left, term), live))) AS terms
  FROM token_entries
) ARRAY JOIN terms AS term;

-- Every change of a token's state rewrites what its failed checks show of it, and takes it from those that fail no more.
CREATE MATERIALIZED VIEW IF NOT EXISTS token_checks_view TO token_checks AS
SELECT chain_id, listed.1 AS check_id, token, is_scam, percent, risk, created_at,
  if(listed.2 = 1, [], failed) AS failed, if(listed.2 = 1, '', entry) AS entry, seq, listed.2 AS is_deleted
FROM (
  SELECT chain_id, token, is_scam, percent, risk, created_at, failed, entry, seq,
    if(is_gone = 1, [], failed) AS live, if(was_there = 0, [], old_failed) AS left,
    arrayConcat(arrayMap(id -> (id, toUInt8(0)), live),
      arrayMap(id -> (id, toUInt8(1)), arrayFilter(id -> NOT has(live, id), left))) AS changes
  FROM token_entries
) ARRAY JOIN changes AS listed;

-- Every change of a token's state is taken from the counts of the checks that failed and added to those of the checks that fail; a repeat
-- is none.
CREATE MATERIALIZED VIEW IF NOT EXISTS check_totals_view TO check_totals AS
SELECT chain_id, check_id, cell.1 AS is_scam, cell.2 AS level, cell.3 AS percent, sum(cell.5) AS tokens
FROM (
  SELECT chain_id, arrayConcat(
    if(is_gone = 1, [], [(is_scam, toUInt8((risk >= 2500) + (risk >= 5000) + (risk >= 7500)), percent, failed, toInt64(1))]),
    if(was_there = 0, [], [(old_is_scam, toUInt8((old_risk >= 2500) + (old_risk >= 5000) + (old_risk >= 7500)), old_percent, old_failed, toInt64(-1))])) AS cells
  FROM token_entries WHERE is_repeat = 0
) ARRAY JOIN cells AS cell
ARRAY JOIN cell.4 AS check_id
GROUP BY chain_id, check_id, is_scam, level, percent
HAVING tokens != 0;

CREATE MATERIALIZED VIEW IF NOT EXISTS features_by_birth_view TO features_by_birth AS
SELECT chain_id, created_at, token, JSONExtract(doc, 'features', 'Map(String, Float64)') AS features, version, is_deleted
FROM token_verdicts;

-- Made in the insert of the verdict itself, so that no crash comes between.
CREATE MATERIALIZED VIEW IF NOT EXISTS verdict_turns_view TO verdict_turns AS
SELECT chain_id, now64(3, 'UTC') AS stored_at, token
FROM token_entries
WHERE (is_gone = 0 AND is_scam = 1) != (was_there = 1 AND old_is_scam = 1);
