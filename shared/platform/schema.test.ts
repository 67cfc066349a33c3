import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RetryableError } from './errors.ts';
import { silentLogger } from './logger.ts';
import { checkSchema } from './schema.ts';

describe('checkSchema', () => {
  it('lets a role start where ClickHouse is away: it waits for it later', async () => {
    const away = () => Promise.reject(new RetryableError('away'));
    await assert.doesNotReject(checkSchema({ ping: away, query: async () => [] }, silentLogger));
    await assert.doesNotReject(checkSchema({ ping: async () => {}, query: away }, silentLogger));
  });
});
