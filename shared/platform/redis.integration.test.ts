import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Service, startRedis } from '../testing/services.ts';
import { connectRedis } from './redis.ts';

/** Longer than a command may take. */
const BUSY_MS = 3_200;

describe('connectRedis', () => {
  let server: Service;
  before(async () => {
    server = await startRedis();
  });
  after(() => server?.stop());

  it('finds the answer that came while the process was busy', async () => {
    const redis = connectRedis(server.url);
    await redis.connect();
    const asked = Promise.all([redis.ping(), redis.multi().ping().exec()]);
    const endMs = Date.now() + BUSY_MS;
    while (Date.now() < endMs);
    const [alone, together] = await asked;
    assert.deepEqual([alone, together], ['PONG', [[null, 'PONG']]]);
    redis.disconnect();
  });

  it('gives up a command that a frozen server does not answer, also on a copy of the connection', async () => {
    const redis = connectRedis(server.url);
    await redis.connect();
    const copy = redis.duplicate();
    await copy.connect();
    server.signal('SIGSTOP');
    const failures = await Promise.allSettled([redis.ping(), copy.ping()]);
    server.signal('SIGCONT');
    assert.deepEqual(
      failures.map((one) => one.status === 'rejected' && one.reason.message),
      ['Command timed out', 'Command timed out'],
    );
    redis.disconnect();
    copy.disconnect();
  });
});
