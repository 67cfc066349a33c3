import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import type { Database } from '../../shared/platform/clickhouse.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { addressOf } from '../../shared/testing/evmData.ts';
import { createTokenIndex } from './createTokenIndex.ts';
import type { IndexedToken } from './openIndex.ts';

const CHAIN_ID = 1;
/** More than are read at a time. */
const ROWS = 12_000;

interface StoredRow {
  readonly token: string;
  readonly seq: number;
  readonly name: string;
}

/** What `token_verdicts` answers the index. */
const databaseOf = (rows: readonly StoredRow[]): Database => {
  const wholeRow = (row: StoredRow) => ({
    ...row,
    isScam: 0,
    percent: 60,
    risk: 4_000,
    createdAtS: 1,
    analyzedAtMs: 1_000,
    confidence: 0.6,
    riskScore: 40,
    symbol: 'S',
    creator: addressOf(2),
    failed: [],
    summary: '[]',
    isDeleted: 0,
  });
  const answer = (sql: string, { after, limit }: { after: number; limit: number }) => {
    if (sql.includes('ORDER BY v.token')) return [];
    if (sql.includes('GROUP BY')) {
      return [
        ...new Map(rows.filter(({ seq }) => seq > after).map((row) => [row.token, row])).values(),
      ];
    }
    if (sql.includes('max(v.seq)')) return [{ seq: 0, rows: 0 }];
    return rows
      .filter(({ seq }) => seq > after)
      .slice(0, limit)
      .map(wholeRow);
  };
  const query = async (sql: string, params: Record<string, unknown>) =>
    answer(sql, {
      after: Number(params['after']),
      limit: Number(/LIMIT (\d+) WITH/.exec(sql)?.[1]),
    });
  return { query } as unknown as Database;
};

describe('the index of tokens, following', () => {
  it('reads a burst in parts and never goes back to a verdict that a later one has replaced', async () => {
    const replaced = addressOf(1);
    const rows = Array.from({ length: ROWS }, (_, at) => ({
      token: addressOf(100 + at),
      seq: 1 + at,
      name: 'other',
    }));
    rows[0] = { token: replaced, seq: 1, name: 'old' };
    rows[ROWS - 1] = { token: replaced, seq: ROWS, name: 'new' };
    const changes: IndexedToken[][] = [];
    const call = async (method: string, argument: unknown) => {
      if (method === 'change') changes.push(argument as IndexedToken[]);
    };
    const thread = { call, hasEnded: () => false, close: async () => undefined };
    const index = createTokenIndex({
      database: databaseOf(rows),
      chainId: CHAIN_ID,
      clock: systemClock,
      logger: silentLogger,
      startThread: async () => thread as never,
    });
    const end = new AbortController();
    const running = index.run(end.signal);
    while (!index.state().isReady) await once(AbortSignal.timeout(1), 'abort');
    end.abort();
    await running;
    const verdicts = changes.flat().filter(({ token }) => token === replaced);
    const names = verdicts.map(({ verdict }) => verdict?.name);
    assert.deepEqual([...new Set(names)], ['new']);
    assert.equal(new Set(changes.flat().map(({ token }) => token)).size, ROWS - 1);
  });
});
