import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { ApiError } from '../server/apiError.ts';
import { createExports, EXPORTS_MAX } from './createExports.ts';

const wanted = (family: string) => ({
  family,
  what: 'tokens' as const,
  day: '2026-01-31',
  signal: new AbortController().signal,
});
const hasStatus =
  (status: number) =>
  (error: unknown): boolean =>
    error instanceof ApiError && error.options.status === status;

describe('createExports', () => {
  it('has one file of a family and a few of all under way', async () => {
    const exports = createExports({ stream: async () => new Readable({ read: () => {} }) }, 1);
    const first = await exports.open(wanted('f0'));
    await assert.rejects(exports.open(wanted('f0')), hasStatus(429));
    const others = Array.from({ length: EXPORTS_MAX - 1 }, (_, index) => `f${index + 1}`);
    const streams = await Promise.all(others.map((family) => exports.open(wanted(family))));
    await assert.rejects(exports.open(wanted('other')), hasStatus(503));
    first.destroy();
    await once(first, 'close');
    streams.push(await exports.open(wanted('f0')));
    for (const stream of streams) stream.destroy();
  });

  it('gives the place back where the database fails', async () => {
    let isAway = true;
    const stream = async () => {
      if (isAway) throw new Error('away');
      return Readable.from([]);
    };
    const exports = createExports({ stream }, 1);
    await assert.rejects(exports.open(wanted('f')), /away/);
    isAway = false;
    (await exports.open(wanted('f'))).destroy();
  });

  it('ends a download that takes too long', async () => {
    const exports = createExports({ stream: async () => new Readable({ read: () => {} }) }, 1, 1);
    const stream = await exports.open(wanted('f'));
    const [error] = await once(stream, 'error');
    assert.match(String(error), /the client takes too long/);
  });
});
