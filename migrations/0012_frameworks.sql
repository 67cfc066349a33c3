-- For analysts: published frameworks whose marks the code of a token bears. Anyone can copy them: they weigh nothing in verdicts.
CREATE VIEW IF NOT EXISTS token_frameworks (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  token String COMMENT 'Contract of the token',
  framework String COMMENT 'Name in the catalogue (pipeline/scorer/contract/frameworks/FRAMEWORKS.md)',
  marks UInt32 COMMENT 'Marks of it that the code bears',
  marks_known UInt32 COMMENT 'Marks of it that are known',
  implementation Nullable(String) COMMENT 'Contract whose code the token runs, null: the token is no proxy',
  skeleton String COMMENT 'Hash of the instructions without their constants: the same for copies',
  block_number UInt64 COMMENT 'Block at which the contract was read'
) SQL SECURITY DEFINER AS
SELECT f.chain_id AS chain_id, concat('0x', lower(hex(f.token))) AS token, one.1 AS framework, one.2 AS marks, one.3 AS marks_known,
  nullIf(one.4, '') AS implementation, concat('0x', lower(hex(f.skeleton))) AS skeleton, f.block_number AS block_number
FROM (SELECT chain_id, token, skeleton, block_number, doc FROM dim_contracts FINAL) AS f
ARRAY JOIN JSONExtract(f.doc, 'frameworks', 'Array(Tuple(name String, marks UInt32, of UInt32, implementation String))') AS one;

-- For analysts: tokens whose code is the same but for constants, with what became of them.
CREATE VIEW IF NOT EXISTS code_families (
  chain_id UInt64 COMMENT 'Chain id of EIP-155',
  skeleton String COMMENT 'Hash of the instructions without their constants, of a proxy: of what it runs',
  frameworks Array(String) COMMENT 'Names of the frameworks whose marks any of them bears',
  tokens UInt64 COMMENT 'Number of tokens',
  creators UInt64 COMMENT 'Number of wallets that created them, as far as they are known',
  drained UInt64 COMMENT 'Number of tokens whose liquidity was taken out (rugs)'
) SQL SECURITY DEFINER AS
SELECT c.chain_id AS chain_id, concat('0x', lower(hex(c.skeleton))) AS skeleton, arraySort(groupUniqArrayArray(c.names)) AS frameworks, count() AS tokens,
  uniqExactIf(t.creator, t.creator != toFixedString('', 20)) AS creators, countIf(r.is_drained) AS drained
FROM (SELECT chain_id, token, skeleton, JSONExtract(doc, 'frameworks', 'Array(Tuple(name String))').1 AS names FROM dim_contracts FINAL) AS c
LEFT JOIN (SELECT chain_id, token, creator FROM dim_tokens FINAL) AS t ON t.chain_id = c.chain_id AND t.token = c.token
LEFT JOIN (SELECT DISTINCT chain_id, token, true AS is_drained FROM rugs) AS r ON r.chain_id = c.chain_id AND r.token = concat('0x', lower(hex(c.token)))
GROUP BY c.chain_id, c.skeleton;
