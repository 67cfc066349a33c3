import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createStack, saveSettings } from './environment.ts';
import { findStack } from './findStack.ts';

const STORES = {
  CLICKHOUSE_URL: 'http://app:a@clickhouse.test:8123/tsd',
  REDIS_URL: 'redis://:b@redis.test:6379/0',
  NATS_URL: 'nats://tsd:c@nats.test:4222',
  KEY_PEPPER: 'p'.repeat(32),
  WEBHOOK_SECRET_KEY: 'w'.repeat(32),
};

describe('findStack', () => {
  let stateDir: string;
  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'tsd-find-'));
  });
  afterEach(() => rmSync(stateDir, { recursive: true }));
  const find = (command: string, environment: Record<string, string> = {}) =>
    findStack(command, stateDir, environment, ' STATE_DIR=x');

  it('takes the stores given where there is no stack, and writes nothing', () => {
    const stack = find('backup', STORES);
    assert.deepEqual(
      [stack.clickhouseUrl, stack.redisUrl, stack.natsUrl],
      [STORES.CLICKHOUSE_URL, STORES.REDIS_URL, STORES.NATS_URL],
    );
    assert.equal(stack.roleEnvironment['KEY_PEPPER'], STORES.KEY_PEPPER);
    const { CLICKHOUSE_URL, NATS_URL } = STORES;
    assert.equal(find('migrate', { CLICKHOUSE_URL }).clickhouseUrl, CLICKHOUSE_URL);
    assert.equal(find('dead-letters', { NATS_URL }).natsUrl, NATS_URL);
    assert.deepEqual(readdirSync(stateDir), []);
  });

  it('refuses where there is neither a stack nor all that the command needs', () => {
    const message = `there is no stack in ${stateDir}: make up STATE_DIR=x starts one`;
    for (const command of ['status', 'migrate', 'backup', 'dead-letters']) {
      assert.throws(() => find(command), { message });
    }
    assert.throws(() => find('status', STORES), { message });
    const { KEY_PEPPER: _pepper, ...others } = STORES;
    assert.throws(() => find('backup', others), {
      message: `${message}; without a stack, give KEY_PEPPER too`,
    });
    assert.deepEqual(readdirSync(stateDir), []);
  });

  it('refuses stores that are not those of the stack in the folder', () => {
    saveSettings(stateDir, { PORT_BASE: '20000' });
    const { natsUrl } = createStack(stateDir, { PORT_BASE: '20000' });
    assert.equal(find('backup', { NATS_URL: natsUrl }).natsUrl, natsUrl);
    assert.equal(find('status', STORES).natsUrl, natsUrl);
    const { NATS_URL, CLICKHOUSE_URL } = STORES;
    assert.throws(() => find('backup', { NATS_URL, CLICKHOUSE_URL }), {
      message: `CLICKHOUSE_URL, NATS_URL: the stack in ${stateDir} has another. Leave it out, or give a STATE_DIR without a stack`,
    });
  });
});
