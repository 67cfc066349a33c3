import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { verdictOf } from '../../api/testing/fakePorts.ts';
import { API_CHAIN_ID } from '../../api/testing/startApi.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { SHOWN_FEATURES } from '../../shared/messages/featureNames.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { WALLET_ROLES } from '../../shared/rules/walletRoles.ts';

/** Tokens per statement: rows written together have one number, by which the index follows them. */
const TOKENS_PER_INSERT = 25_000;
const BIRTH_S = 1_600_000_000;
/** Seconds between two creations: ten million tokens are created within five years. */
const STEP_S = 15;

/** The address of the token with this number. */
export const tokenAt = (number: number | string): Hex =>
  `0x${createHash('sha256').update(String(number)).digest('hex').slice(0, 40)}`;

/** Who made it. */
export const creatorAt = (number: number): Hex => tokenAt(`c${Math.floor(number / 5)}`);

/** When it was made, Unix seconds. */
export const birthOf = (number: number): number => BIRTH_S + number * STEP_S;

const TOKEN = 'unhex(substring(hex(SHA256(toString(number))), 1, 40))';
/** Every creator made five tokens. */
const CREATOR = "unhex(substring(hex(SHA256(concat('c', toString(intDiv(number, 5))))), 1, 40))";
const FUNDED = "unhex(substring(hex(SHA256(concat('c', toString(intDiv(number, 5) + 1)))), 1, 40))";
const BORN = `toDateTime(${BIRTH_S} + number * ${STEP_S}, 'UTC')`;
const NAME = "concat('Word', toString(number % 100), ' Coin', toString(intDiv(number, 100) % 100))";
const SYMBOL = "concat('S', toString(number % 1000))";

/** Checks that fail for every n-th token: a common one, a rare one, and one in between. */
export const FAILING = { mint_power: 3, sell_simulation: 50, hidden_owner: 5_000 };
const FAILED = `arrayFilter(id -> id != '', [${Object.entries(FAILING)
  .map(([id, every]) => `if(number % ${every} = 0, '${id}', '')`)
  .toSorted()
  .join(', ')}])`;

const VERDICT_ROWS = `SELECT {chainId:UInt64} AS chain_id, toFixedString(${TOKEN}, 20) AS token,
    number AS block_number, SHA256(toString(number + 1)) AS block_hash, ${NAME} AS name, ${SYMBOL} AS symbol,
    if(number % 3 = 0, 'SCAM', 'LEGIT') AS prediction, 0.5 + (cityHash64(number) % 5000) / 10000 AS confidence,
    (cityHash64(number) % 10000) / 100 AS risk_score, 'bench' AS model, ${CREATOR} AS creator,
    1000 AS liquidity_usd, ${BORN} AS created_at, toDateTime64(${BORN}, 3, 'UTC') AS analyzed_at,
    arraySort(${FAILED}) AS failed,
    mapFromArrays({features:Array(String)}, arrayMap(i -> toFloat64(cityHash64(number, i) % 2000), range(length({features:Array(String)}))))
      AS features
  FROM numbers({start:UInt64}, {count:UInt64})`;

const VERDICTS = `INSERT INTO token_verdicts (chain_id, token, block_number, block_hash, name, symbol,
    prediction, confidence, risk_score, model, creator, liquidity_usd, created_at, analyzed_at, doc, features, version)
  SELECT * EXCEPT (failed, features), concat({docHead:String}, arrayStringConcat(arrayMap(
    id -> concat('{"id":"', id, '","status":"fail","severity":"warning","reason":"Seen in the code."}'), failed), ','),
    {docTail:String}), features, 1 FROM (${VERDICT_ROWS})`;

const TOKENS = `INSERT INTO dim_tokens (chain_id, token, name, symbol, creator, creator_source, created_block,
    created_at, version)
  SELECT {chainId:UInt64}, ${TOKEN}, ${NAME}, ${SYMBOL}, ${CREATOR}, 'deployment', number, ${BORN}, 1
  FROM numbers({start:UInt64}, {count:UInt64})`;

/** Creators of tokens, as rows and as edges, and the creators that funded one another. */
const EDGES = `INSERT INTO graph_neighbours (chain_id, node, source, direction, kind, other, node_is_token, other_is_token,
    weight, value_usd, tx_count, first_at, last_at, version)
  SELECT {chainId:UInt64}, ends.1, edge.3, if(ends.2 = 0, 'out', 'in'), edge.4, ends.3, ends.2 AND edge.5, NOT ends.2 AND edge.5,
    0.5, 100, 1, ${BORN}, ${BORN}, 1
  FROM (SELECT number, edge FROM numbers({start:UInt64}, {count:UInt64})
    ARRAY JOIN [(${CREATOR}, ${TOKEN}, 'edge', 'created', 1), (${CREATOR}, ${TOKEN}, 'token', 'created', 1),
      (${CREATOR}, ${FUNDED}, 'edge', 'funded', 0)] AS edge)
  ARRAY JOIN [(edge.1, 0, edge.2), (edge.2, 1, edge.1)] AS ends`;

/** As many wallets as tokens. */
const WALLETS = `INSERT INTO dim_wallets (chain_id, wallet, role, is_known_scammer, risk_score, tokens_created, scams, stolen_usd, cluster_id,
    first_seen, version)
  SELECT {chainId:UInt64}, unhex(substring(hex(SHA256(concat('w', toString(number)))), 1, 40)),
    arrayElement({roles:Array(String)}, 1 + number % length({roles:Array(String)})), number % 20 = 0, (cityHash64(number) % 10000) / 100,
    number % 5, intDiv(number % 5, 2), cityHash64(number) % 100000, if(number % 10 = 0, concat('cl_', hex(intDiv(number, 100))), ''), ${BORN}, 1
  FROM numbers({start:UInt64}, {count:UInt64})`;

/** A ring of ten for every hundred wallets, with the links between them. */
const RINGS = `INSERT INTO clusters (chain_id, cluster_id, name, size, risk_score, tokens_created, scams, stolen_usd, victims, members, evidence,
    version)
  SELECT {chainId:UInt64}, concat('cl_', hex(number)), concat('Ring ', hex(number)), 3 + number % 50, (cityHash64(number) % 10000) / 100,
    1 + number % 40, intDiv(number % 40, 2), cityHash64(number) % 1000000, number % 1000,
    arrayMap(i -> (toFixedString(substring(SHA256(toString(number * 10 + i)), 1, 20), 20), if(i = 0, 'master', 'puppet'), i, toDateTime(0)),
      range(10)),
    arrayMap(i -> ('funded', toFixedString(substring(SHA256(toString(number * 10)), 1, 20), 20),
      toFixedString(substring(SHA256(toString(number * 10 + i)), 1, 20), 20), 0.9, SHA256(toString(i)), i), range(1, 10)), 1
  FROM numbers(intDiv({start:UInt64}, 100), intDiv({count:UInt64}, 100))`;

/**
 * Writes tokens `from` to `to - 1` with verdicts and the edges of their creators, which fund one another, and wallets
 * with rings. A third are scams; names are two words out of a hundred.
 */
export const insertTokens = async (
  database: Clickhouse,
  from: number,
  to: number,
  report: (done: number) => void,
): Promise<void> => {
  const CHECKS = '["checks"]';
  const doc = { ...verdictOf(tokenAt(0)).doc, checks: [CHECKS] };
  const [docHead, docTail] = JSON.stringify(doc).split(JSON.stringify(CHECKS));
  for (let start = from; start < to; start += TOKENS_PER_INSERT) {
    const count = Math.min(TOKENS_PER_INSERT, to - start);
    const lists = { roles: WALLET_ROLES, features: SHOWN_FEATURES };
    const params = { chainId: API_CHAIN_ID, start, count, docHead, docTail, ...lists };
    for (const sql of [VERDICTS, TOKENS, EDGES, WALLETS, RINGS]) {
      await database.exec(sql, params);
    }
    report(start + count);
  }
};

const MERGED_POLL_MS = 500;
const MERGED_POLLS = 6;
const MERGE_TIMEOUT_MS = 600_000;

/**
 * After so many rows at once the server merges for minutes, which takes a core away from the measurement.
 * @throws Error after ten minutes
 */
export const untilMerged = async (database: Clickhouse): Promise<void> => {
  const row = z.object({ merges: z.number() });
  const sql = 'SELECT count() AS merges FROM system.merges WHERE database = currentDatabase()';
  const startMs = performance.now();
  // Between two merges there is a moment without any.
  for (let quiet = 0; quiet < MERGED_POLLS; ) {
    const [answer] = await database.query(sql, {}, row);
    quiet = answer?.merges === 0 ? quiet + 1 : 0;
    if (performance.now() - startMs > MERGE_TIMEOUT_MS) throw new Error('merges do not end');
    await sleep(MERGED_POLL_MS);
  }
};
