import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { z } from 'zod';
import type { Hex } from '../../shared/chain/block.ts';
import { foldText } from '../../shared/rules/foldText.ts';
import { RISK_LEVELS_FROM } from '../../shared/rules/riskLevel.ts';

/** What lists show of a token and find it by. */
export interface IndexedVerdict {
  /** As the columns of `token_verdicts` have it. */
  readonly isScam: number;
  readonly percent: number;
  readonly risk: number;
  /** Unix seconds. */
  readonly createdAtS: number;
  /** Unix milliseconds. */
  readonly analyzedAtMs: number;
  readonly confidence: number;
  readonly riskScore: number;
  readonly name: string;
  readonly symbol: string;
  readonly creator: Hex;
  readonly failed: readonly string[];
  /** The column `summary_json`. */
  readonly summary: string;
}

/** A token as its last row has it. */
export interface IndexedToken {
  readonly token: Hex;
  /** Undefined: the token has no verdict any more. */
  readonly verdict: IndexedVerdict | undefined;
}

/** A value that a statement is given; bytes stand for addresses. */
export type IndexValue = string | number | Uint8Array;

/** A statement whose only row has one column, a text in JSON. */
export interface IndexQuery {
  readonly sql: string;
  readonly values: readonly IndexValue[];
}

/**
 * No journal: the file is a cache without a name that ends with its process, and any error ends the index. Pages kept in memory are at most 16 MiB.
 */
const SETTINGS = `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA cache_size = -16384;`;

const COLUMNS = [
  'token',
  'scam',
  'percent',
  'risk',
  'level',
  'created_at',
  'analyzed_at',
  'confidence',
  'risk_score',
  'name',
  'symbol',
  'name_term',
  'symbol_term',
  'creator',
  'failed',
  'summary',
] as const;

/** Terms are folded; `failed` and `summary` are in JSON. Totals are of those that fail a check, or of all under an empty id. */
const TABLES = `CREATE TABLE tokens (id INTEGER PRIMARY KEY, token BLOB NOT NULL, scam INTEGER NOT NULL, percent INTEGER NOT NULL,
    risk INTEGER NOT NULL, level INTEGER NOT NULL, created_at INTEGER NOT NULL, analyzed_at INTEGER NOT NULL, confidence REAL NOT NULL,
    risk_score REAL NOT NULL, name TEXT NOT NULL, symbol TEXT NOT NULL, name_term TEXT NOT NULL, symbol_term TEXT NOT NULL,
    creator BLOB NOT NULL, failed TEXT NOT NULL, summary TEXT NOT NULL);
  CREATE TABLE failed_checks (check_id TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (check_id, id)) WITHOUT ROWID;
  CREATE TABLE totals (check_id TEXT NOT NULL, scam INTEGER NOT NULL, level INTEGER NOT NULL, percent INTEGER NOT NULL,
    tokens INTEGER NOT NULL, PRIMARY KEY (check_id, scam, level, percent)) WITHOUT ROWID;`;

/** Filters are checked in the index of the order: rows are read of what is shown alone. */
const orderIndex = (column: string): string =>
  `CREATE INDEX by_${column} ON tokens (${column}, token, scam, percent, risk, level, created_at);`;

const countChange = (row: 'old' | 'new', change: 1 | -1): string =>
  `INSERT INTO totals SELECT check_id, ${row}.scam, ${row}.level, ${row}.percent, ${change}
     FROM (SELECT '' AS check_id UNION SELECT value FROM json_each(${row}.failed)) WHERE true
     ON CONFLICT DO UPDATE SET tokens = tokens + ${change};`;
const ADD_FAILED =
  'INSERT INTO failed_checks SELECT value, new.id FROM json_each(new.failed) WHERE true ON CONFLICT DO NOTHING;';
const TAKE_FAILED =
  'DELETE FROM failed_checks WHERE id = old.id AND check_id IN (SELECT value FROM json_each(old.failed));';
const ADD_TERMS =
  'INSERT INTO parts (rowid, symbol_term, name_term) VALUES (new.id, new.symbol_term, new.name_term);';
const TAKE_TERMS = `INSERT INTO parts (parts, rowid, symbol_term, name_term)
  VALUES ('delete', old.id, old.symbol_term, old.name_term);`;

/** Built once all tokens are there: row by row it takes several times as long. */
const SEAL = `CREATE UNIQUE INDEX by_token ON tokens (token);
  ${['created_at', 'analyzed_at', 'confidence', 'risk_score', 'symbol'].map(orderIndex).join('\n')}
  CREATE INDEX by_creator ON tokens (creator);
  CREATE INDEX by_symbol_term ON tokens (symbol_term, token);
  CREATE INDEX by_name_term ON tokens (name_term, token);
  INSERT INTO failed_checks SELECT DISTINCT f.value, t.id FROM tokens AS t, json_each(t.failed) AS f ORDER BY 1, 2;
  INSERT INTO totals SELECT '', scam, level, percent, count(*) FROM tokens GROUP BY scam, level, percent
    UNION ALL SELECT f.check_id, t.scam, t.level, t.percent, count(*) FROM failed_checks AS f JOIN tokens AS t ON t.id = f.id
    GROUP BY f.check_id, t.scam, t.level, t.percent;
  CREATE VIRTUAL TABLE parts USING fts5(symbol_term, name_term, content = 'tokens', content_rowid = 'id', tokenize = 'trigram');
  INSERT INTO parts (parts) VALUES ('rebuild');
  ANALYZE;
  CREATE TRIGGER added AFTER INSERT ON tokens BEGIN ${countChange('new', 1)} ${ADD_FAILED} ${ADD_TERMS} END;
  CREATE TRIGGER removed AFTER DELETE ON tokens BEGIN ${countChange('old', -1)} ${TAKE_FAILED} ${TAKE_TERMS} END;
  CREATE TRIGGER recounted AFTER UPDATE ON tokens
    WHEN (old.scam, old.level, old.percent, old.failed) != (new.scam, new.level, new.percent, new.failed)
    BEGIN ${countChange('old', -1)} ${countChange('new', 1)} END;
  CREATE TRIGGER rechecked AFTER UPDATE ON tokens WHEN old.failed != new.failed BEGIN ${TAKE_FAILED} ${ADD_FAILED} END;
  CREATE TRIGGER renamed AFTER UPDATE ON tokens
    WHEN (old.symbol_term, old.name_term) != (new.symbol_term, new.name_term) BEGIN ${TAKE_TERMS} ${ADD_TERMS} END;`;

const INSERT = `INSERT INTO tokens (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`;
const UPSERT = `${INSERT} ON CONFLICT (token) DO UPDATE
  SET ${COLUMNS.slice(1)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}
  WHERE (summary, failed, scam, creator) IS NOT (excluded.summary, excluded.failed, excluded.scam, excluded.creator)`;
const REMOVE = 'DELETE FROM tokens WHERE token = ?';

const levelOf = (risk: number): number => RISK_LEVELS_FROM.findLastIndex((from) => risk >= from);

/** An address as the index has it. */
export const bytesOf = (address: string): Uint8Array =>
  Uint8Array.from(Buffer.from(address.slice(2), 'hex'));

/** In the order of `COLUMNS`. */
const valuesOf = (token: Hex, verdict: IndexedVerdict): IndexValue[] => [
  bytesOf(token),
  verdict.isScam,
  verdict.percent,
  verdict.risk,
  levelOf(verdict.risk),
  verdict.createdAtS,
  verdict.analyzedAtMs,
  verdict.confidence,
  verdict.riskScore,
  verdict.name,
  verdict.symbol,
  foldText(verdict.name),
  foldText(verdict.symbol),
  bytesOf(verdict.creator),
  JSON.stringify(verdict.failed),
  verdict.summary,
];

/** Statements kept prepared, some ten kB each: requests choose which conditions they have. */
const STATEMENTS_MAX = 256;

/** Opens a file that has no name any more: its space is free again when the process ends, however it ends. */
const openUnnamed = () => {
  const folder = mkdtempSync(join(tmpdir(), 'token-index-'));
  try {
    const database = new sqlite.Database(join(folder, 'tokens.db'));
    database.exec(SETTINGS);
    database.exec(TABLES);
    return database;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

/**
 * Tokens of one chain in SQLite. First all are loaded, then it is sealed, from then on it answers and follows changes. After an error
 * nothing it says may be believed.
 */
export const openIndex = () => {
  const database = openUnnamed();
  const statements = new Map<string, ReturnType<typeof database.prepare>>();
  const forget = (sql: string): void => {
    try {
      statements.get(sql)?.finalize();
    } catch {
      // The error of the last run is reported again.
    }
    statements.delete(sql);
  };
  const prepared = (sql: string) => {
    const known = statements.get(sql);
    if (known) return known;
    if (statements.size >= STATEMENTS_MAX) for (const old of statements.keys()) forget(old);
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const write = (insert: string, tokens: readonly IndexedToken[]): void => {
    database.exec('BEGIN');
    for (const { token, verdict } of tokens) {
      if (verdict) prepared(insert).run(valuesOf(token, verdict));
      else prepared(REMOVE).run([bytesOf(token)]);
    }
    database.exec('COMMIT');
  };
  return {
    /** Adds tokens, each once, before the index is sealed. */
    load: (tokens: readonly IndexedToken[]): void => write(INSERT, tokens),
    seal: (): void => database.exec(SEAL),
    /** Follows changes: all of them or, where it throws, some. */
    change: (tokens: readonly IndexedToken[]): void => write(UPSERT, tokens),
    read: ({ sql, values }: IndexQuery): string => {
      try {
        return z.string().parse(Object.values(prepared(sql).get([...values]) ?? {})[0]);
      } catch (error) {
        forget(sql);
        throw error;
      }
    },
    close: (): void => database.close(),
  };
};

export type OpenIndex = ReturnType<typeof openIndex>;
