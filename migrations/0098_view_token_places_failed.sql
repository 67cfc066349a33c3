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
) ARRAY JOIN places AS place
