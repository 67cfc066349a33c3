-- Names and symbols of tokens, folded; a repeat tells them all again. Folded: compatibility forms, letter case, then letters that look like Latin ones.
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
) ARRAY JOIN terms AS term
