import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RetryableError } from '../../shared/platform/errors.ts';
import { silentLogger } from '../../shared/platform/logger.ts';
import { retryStart } from './retryStart.ts';

describe('the graph', () => {
  const end = new AbortController();
  const clock = { now: () => 0, sleep: async () => undefined };
  const ports = { clock, logger: silentLogger };
  const failing = (error: Error, times: number) => {
    let starts = 0;
    return async () => {
      starts += 1;
      if (starts <= times) throw error;
      return starts;
    };
  };

  it('is built anew until what it needs is there', async () => {
    const start = failing(new RetryableError('not enough space'), 20);
    assert.equal(await retryStart(start, ports, end.signal), 21);
  });

  it('is not built again after a bug', async () => {
    const start = failing(new Error('a bug'), 1);
    await assert.rejects(retryStart(start, ports, end.signal), /a bug/);
  });

  it('is not waited for by a process that ends', async () => {
    const start = async () => {
      end.abort();
      throw new RetryableError('not enough space');
    };
    assert.equal(await retryStart(start, ports, end.signal), undefined);
  });
});
