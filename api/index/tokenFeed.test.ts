import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../../shared/platform/clickhouse.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { addressOf } from '../../shared/testing/evmData.ts';
import type { IndexedToken } from './openIndex.ts';
import { createTokenFeed } from './tokenFeed.ts';

/** Tokens evenly distributed over all addresses, many more than are read in parallel. */
const SPREAD = 9_000;
const DENSE = 25_000;

const spreadAt = (at: number): string =>
  ((2n ** 160n / BigInt(SPREAD)) * BigInt(at)).toString(16).padStart(40, '0');
const tokens = [
  ...Array.from({ length: SPREAD }, (_, at) => `0x${spreadAt(at)}`),
  ...Array.from({ length: DENSE }, (_, at) => addressOf(1 + at)),
].toSorted();

/** When the load began, microseconds. */
const LOADED_US = 1_700_000_000_000_000;
const MINUTE_US = 60_000_000;

/**
 * Rows of `token_verdicts` for a feed that loads; records the number of rows of each answer, and after which version
 * more were requested.
 */
const databaseOf = (answered: number[], asked: number[] = []): Database => {
  const query = async (sql: string, { from, to, after }: Record<string, string | number>) => {
    if (sql.includes('GROUP BY')) {
      asked.push(Number(after));
      return [];
    }
    if (sql.includes('nowUs')) return [{ nowUs: LOADED_US, rows: tokens.length }];
    const limit = Number(/LIMIT (\d+)/.exec(sql)?.[1]);
    const found = tokens.filter((token) => token >= `0x${from}` && token <= `0x${to}`);
    const rows = found.slice(0, limit).map((address) => ({ address, isDeleted: 0 }));
    answered.push(rows.length);
    return rows;
  };
  return { query } as unknown as Database;
};

describe('the feed of the index, loading', () => {
  it('reads each token once, by ranges of addresses, however unevenly they are spread', async () => {
    const answered: number[] = [];
    const loaded: string[] = [];
    const calls: string[] = [];
    const call = async (method: string, argument: unknown) => {
      calls.push(method);
      if (method === 'load') {
        loaded.push(...(argument as IndexedToken[]).map(({ token }) => token));
      }
    };
    const ports = { database: databaseOf(answered), chainId: 1, clock: systemClock };
    const feed = createTokenFeed({ ...ports, logger: silentLogger }, { call } as never);
    const total = await feed.load(new AbortController().signal);
    assert.deepEqual(loaded, tokens);
    assert.equal(total, tokens.length);
    assert.ok(
      answered.filter((rows) => rows === 10_000).length >= 2,
      'the dense range is read in parts',
    );
    assert.equal(calls.at(-1), 'seal');
  });

  it('looks again for rows from the minute before it, which may have appeared in ranges that were read', async () => {
    const asked: number[] = [];
    const ports = { database: databaseOf([], asked), chainId: 1, clock: systemClock };
    const call = async () => undefined;
    const feed = createTokenFeed({ ...ports, logger: silentLogger }, { call } as never);
    await feed.load(new AbortController().signal);
    await feed.follow();
    assert.deepEqual(asked, [LOADED_US - MINUTE_US]);
  });

  it('ends between two ranges when it is asked to', async () => {
    const call = async () => undefined;
    const ports = { database: databaseOf([]), chainId: 1, clock: systemClock };
    const feed = createTokenFeed({ ...ports, logger: silentLogger }, { call } as never);
    await assert.rejects(feed.load(AbortSignal.abort(new Error('stopped'))), /stopped/);
  });
});
