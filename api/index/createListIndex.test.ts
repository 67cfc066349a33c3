import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import type { Database } from '../../shared/platform/clickhouse.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { addressOf } from '../../shared/testing/evmData.ts';
import { createListIndex } from './createListIndex.ts';
import type { IndexedToken } from './openIndex.ts';

const CHAIN_ID = 1;
/** More than are read at a time. */
const ROWS = 12_000;

interface StoredRow {
  readonly token: string;
  readonly seq: number;
  readonly name: string;
}

/** Rows of `token_verdicts` for the index. `failures`: errors of the next queries. */
const databaseOf = (rows: readonly StoredRow[], failures: boolean[] = []): Database => {
  const wholeRow = ({ token, ...row }: StoredRow) => ({
    ...row,
    address: token,
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
  const query = async (sql: string, params: Record<string, unknown>) => {
    if (sql.includes('dim_wallets')) return sql.includes('nowUs') ? [{ nowUs: 0, rows: 0 }] : [];
    if (failures.shift()) throw new Error('no answer within 10000 ms');
    if (sql.includes('FINAL')) return [];
    if (sql.includes('GROUP BY')) {
      const since = rows.filter(({ seq }) => seq > Number(params['after']));
      const last = [...new Map(since.map((row) => [row.token, row])).values()]
        .filter(({ token }) => token >= `0x${String(params['from'])}`)
        .toSorted((a, b) => (a.token < b.token ? -1 : 1));
      const limit = Number(/LIMIT (\d+)/.exec(sql)?.[1]);
      return last.slice(0, limit).map(({ token, seq }) => ({ address: token, seq }));
    }
    if (sql.includes('nowUs')) return [{ nowUs: 0, rows: 0 }];
    const tokens = new Set((params['addresses'] as string[]).map((token) => `0x${token}`));
    return rows
      .filter(({ token, seq }) => tokens.has(token) && seq >= Number(params['from']))
      .map(wholeRow);
  };
  return { query } as unknown as Database;
};

/** Runs an index until it is ready; records its changes, and how often a thread was started. */
const untilReady = async (database: Database, clock = systemClock) => {
  const changes: IndexedToken[][] = [];
  const calls: string[] = [];
  const call = async (method: string, argument: unknown) => {
    calls.push(method);
    if (method === 'change') changes.push(argument as IndexedToken[]);
  };
  const thread = { call, hasEnded: () => false, close: async () => undefined };
  let starts = 0;
  const startThread = async () => {
    starts += 1;
    return thread as never;
  };
  const ports = { database, chainId: CHAIN_ID, clock, logger: silentLogger, startThread };
  const index = createListIndex(ports);
  const end = new AbortController();
  const running = index.run(end.signal);
  while (!index.state().isReady) await once(AbortSignal.timeout(1), 'abort');
  end.abort();
  await running;
  return { changes: changes.flat(), calls, starts };
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
    const { changes } = await untilReady(databaseOf(rows));
    const verdicts = changes.filter(({ token }) => token === replaced);
    const names = verdicts.map(({ verdict }) => verdict?.name);
    assert.deepEqual([...new Set(names)], ['new']);
    assert.equal(new Set(changes.map(({ token }) => token)).size, ROWS - 1);
  });

  it('reads again what it could not read, a range or what was stored since, and keeps what it has', async () => {
    const rows = [{ token: addressOf(1), seq: 1, name: 'one' }];
    // The count succeeds; a range, newly stored rows and their details fail at first.
    const failures = [false, true, false, true, false, true];
    const clock = { ...systemClock, sleep: () => systemClock.sleep(1) };
    const { changes, calls, starts } = await untilReady(databaseOf(rows, failures), clock);
    const isOfWallets = (method: string): boolean => method.endsWith('Wallets');
    assert.deepEqual(
      [starts, calls.filter((method) => !isOfWallets(method)), calls.filter(isOfWallets)],
      [1, ['reserve', 'seal', 'change'], ['reserveWallets', 'sealWallets']],
    );
    assert.equal(calls.at(-1), 'change');
    assert.deepEqual(
      changes.map(({ verdict }) => verdict?.name),
      ['one'],
    );
  });
});
