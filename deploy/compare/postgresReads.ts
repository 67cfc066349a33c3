import { beginningWith } from '../../api/index/indexReader.ts';
import {
  CLOSENESS_MAX,
  INSIDE_LENGTH_MIN,
  lettersOf,
  RELEVANCE,
  RELEVANCE_DIGITS,
} from '../../api/search/search.ts';
import {
  VERDICT_SORTS,
  type VerdictFilter,
  type VerdictPage,
} from '../../api/tokens/verdictPage.ts';
import { RISK_LEVELS, RISK_LEVELS_FROM, type RiskLevel } from '../../shared/rules/riskLevel.ts';

// The data of the API's index and ClickHouse's documents in PostgreSQL, and the same queries.

/**
 * Documents are stored apart from list columns, so that rows of lists stay short. There are no rings because there
 * are no wallets.
 */
export const TABLES = `CREATE TABLE tokens (token bytea NOT NULL, creator bytea NOT NULL, name text NOT NULL, symbol text NOT NULL,
    name_term text NOT NULL, symbol_term text NOT NULL, scam boolean NOT NULL, confidence float8 NOT NULL, percent smallint NOT NULL,
    risk_score float8 NOT NULL, model text NOT NULL, created_at bigint NOT NULL,
    analyzed_at bigint NOT NULL, block_number bigint NOT NULL, failed text[] NOT NULL);
  CREATE TABLE documents (token bytea NOT NULL, doc json NOT NULL);
  CREATE TABLE wallets (wallet bytea PRIMARY KEY, cluster_id text NOT NULL);`;

/** Rows of one parameter, in JSON. */
export const INSERT = `WITH rows AS (SELECT decode(substr(token, 3), 'hex') AS id, decode(substr(creator, 3), 'hex') AS maker, *
    FROM json_to_recordset($1) AS r (token text, creator text, name text, symbol text, "nameTerm" text, "symbolTerm" text,
      prediction text, confidence float8, percent int, "riskScore" float8, model text, "createdAtS" bigint,
      "analyzedAtMs" bigint, "blockNumber" bigint, failed text[], doc text)),
  added AS (INSERT INTO documents SELECT id, doc::json FROM rows)
  INSERT INTO tokens SELECT id, maker, name, symbol, "nameTerm", "symbolTerm", prediction = 'SCAM', confidence, percent, "riskScore",
    model, "createdAtS", "analyzedAtMs", "blockNumber", failed FROM rows`;

const TERMS = ['symbol_term', 'name_term'] as const;

/** An index for each sort order and each search, and two with all list filters, for totals. */
export const INDEXES = [
  'ALTER TABLE tokens ADD PRIMARY KEY (token)',
  'ALTER TABLE documents ADD PRIMARY KEY (token)',
  ...[...VERDICT_SORTS, ...TERMS].map((one) => `CREATE INDEX ON tokens (${one}, token)`),
  'CREATE INDEX ON tokens (creator)',
  'CREATE INDEX ON tokens USING gin (failed)',
  'CREATE INDEX ON tokens (scam, percent, created_at) INCLUDE (risk_score, failed)',
  'CREATE INDEX ON tokens (risk_score, scam, percent) INCLUDE (created_at, failed)',
];
/** For parts of names. */
export const PARTS_INDEXES = [
  'CREATE EXTENSION pg_trgm',
  ...TERMS.map((one) => `CREATE INDEX ON tokens USING gin (${one} gin_trgm_ops)`),
];

/** A statement with its values. */
export interface Question {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What lists show of `tokens AS t`, as `VerdictSummary` has it. */
const ENTRY = `'0x' || encode(t.token, 'hex') AS token, t.name, t.symbol, CASE WHEN t.scam THEN 'SCAM' ELSE 'LEGIT' END AS prediction,
  t.confidence, t.risk_score AS "riskScore", t.model, t.created_at::float8 AS "createdAtS", t.analyzed_at::float8 AS "analyzedAtMs",
  t.block_number::float8 AS "blockNumber"`;

/** What a list is filtered by. */
export interface Filter extends VerdictFilter {
  readonly creator?: string | undefined;
  readonly checks?: { readonly [Kind in 'all' | 'any' | 'none']?: readonly string[] } | undefined;
}

const bytesOf = (address: string): Buffer => Buffer.from(address.slice(2), 'hex');

/** Scores of a level: from the first, below the second. */
const scoresOf = (level: RiskLevel): [number, number] => {
  const [from, to] = [0, 1].map((next) => RISK_LEVELS_FROM[RISK_LEVELS.indexOf(level) + next]);
  return [(from ?? 0) / 100, (to ?? Number.POSITIVE_INFINITY) / 100];
};

/**
 * Conditions of a filter, whose values are appended to the existing ones. Levels are expressed as scores: with two
 * bounds the planner knows how many rows are between them.
 */
const conditionsOf = (filter: Filter, values: unknown[]): string => {
  const { prediction, riskLevels = [], checks = {}, creator } = filter;
  const levels = riskLevels.map((level) => {
    const [from, to] = scoresOf(level).map((score) => `$${values.push(score)}`);
    return `risk_score >= ${from} AND risk_score < ${to}`;
  });
  const conditions = [
    ['scam = $', prediction && prediction === 'SCAM'],
    ['percent >= $', filter.minConfidence],
    ['percent <= $', filter.maxConfidence],
    ['risk_score >= $', filter.minRisk],
    ['risk_score <= $', filter.maxRisk],
    ['created_at >= $', filter.createdFromS],
    ['created_at <= $', filter.createdToS],
    ['creator = $', creator && bytesOf(creator)],
    ['failed @> $', checks.all],
    ['failed && $', checks.any],
    ['NOT failed && $', checks.none],
  ] as const;
  const texts = conditions
    .filter(([, value]) => value !== undefined)
    .map(([text, value]) => text.replace('$', `$${values.push(value)}`));
  if (levels.length > 0) texts.push(`(${levels.join(' OR ')})`);
  return texts.length > 0 ? `WHERE ${texts.join(' AND ')}` : '';
};

/** A page of a list. */
export const listQuestion = ({ sort, order, limit, offset, ...filter }: Filter & VerdictPage) => {
  const values: unknown[] = [];
  const where = conditionsOf(filter, values);
  const inOrder = `ORDER BY t.${sort} ${order}, t.token ${order}`;
  const ends = `LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}`;
  return { text: `SELECT ${ENTRY} FROM tokens AS t ${where} ${inOrder} ${ends}`, values };
};

/** How many tokens a filter leaves. */
export const countQuestion = (filter: Filter): Question => {
  const values: unknown[] = [];
  const where = conditionsOf(filter, values);
  return { text: `SELECT count(*)::float8 AS total FROM tokens ${where}`, values };
};

/** A token with its document. */
export const documentQuestion = (token: string): Question => ({
  text: `SELECT ${ENTRY}, d.doc, w.cluster_id AS "clusterId" FROM tokens AS t JOIN documents AS d USING (token)
    LEFT JOIN wallets AS w ON w.wallet = t.creator WHERE t.token = $1`,
  values: [bytesOf(token)],
});

/**
 * As in the API: hits of each kind, and the number of names with a matching beginning above which parts are not
 * searched.
 */
const HITS_MAX = 1_000;
const STARTING_ENOUGH = 100;
const ADDRESS_DIGITS = 40;

const FIELDS = ['symbol', 'name'] as const;
type Field = (typeof FIELDS)[number];
const BEGINS = (field: Field) => `${field}_term >= $1 AND ${field}_term <= $2`;
const closeness = (base: number, field: Field): string =>
  `round(${base} + ${CLOSENESS_MAX} * length($1) / length(${field}_term), ${RELEVANCE_DIGITS})`;
const startingHits = (field: Field): string => `SELECT token, CASE ${field}_term WHEN $1
    THEN ${RELEVANCE.exact[field]} ELSE ${closeness(RELEVANCE.prefix[field], field)} END, '${field}'
  FROM (SELECT token, ${field}_term FROM tokens WHERE ${BEGINS(field)} ORDER BY ${field}_term, token LIMIT ${HITS_MAX}) AS ${field}_starting`;
const starting = (field: Field): string =>
  `(SELECT 1 FROM tokens WHERE ${BEGINS(field)} LIMIT ${STARTING_ENOUGH})`;
const insideHits = (
  field: Field,
): string => `SELECT token, ${closeness(RELEVANCE.inside[field], field)}, '${field}'
  FROM (SELECT token, ${field}_term FROM tokens WHERE ${field}_term LIKE $3 AND strpos(${field}_term, $1) > 1
    AND (SELECT count(*) FROM (${FIELDS.map(starting).join(' UNION ALL ')}) AS s) < ${STARTING_ENOUGH} LIMIT ${HITS_MAX}) AS ${field}_inside`;
const addressHits = (
  from: number,
): string => `SELECT token, ${RELEVANCE.prefix.symbol + CLOSENESS_MAX}, 'address'
  FROM (SELECT token FROM tokens WHERE token BETWEEN $${from} AND $${from + 1} ORDER BY token LIMIT ${HITS_MAX}) AS addressed`;

/**
 * Tokens that a text finds, most relevant first, with their number. @param digits of the beginning of an address
 */
export const searchQuestion = (
  folded: string,
  digits: string | undefined,
  [limit, offset]: readonly [number, number],
): Question => {
  const values: unknown[] = [...beginningWith(folded)];
  const hits = FIELDS.map(startingHits);
  if (lettersOf(folded) >= INSIDE_LENGTH_MIN) {
    values.push(`%${folded.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
    hits.push(...FIELDS.map(insideHits));
  }
  if (digits !== undefined) {
    const from = values.push(bytesOf(`0x${digits.padEnd(ADDRESS_DIGITS, '0')}`));
    values.push(bytesOf(`0x${digits.padEnd(ADDRESS_DIGITS, 'f')}`));
    hits.push(addressHits(from));
  }
  const ends = `LIMIT $${values.push(limit)} OFFSET $${values.push(offset)}`;
  const text = `WITH hits (token, relevance, match) AS (${hits.join(' UNION ALL ')}),
    ranked AS (SELECT DISTINCT ON (token) * FROM hits ORDER BY token, relevance DESC),
    page AS (SELECT *, count(*) OVER () AS total FROM ranked ORDER BY relevance DESC, token ${ends})
    SELECT ${ENTRY}, relevance::float8, match, total::float8 FROM page JOIN tokens AS t USING (token) ORDER BY page.relevance DESC, page.token`;
  return { text, values };
};
