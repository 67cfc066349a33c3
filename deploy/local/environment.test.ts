import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { DEVNET_ADDRESSES } from '../../shared/testing/devnet/devnetAddresses.ts';
import {
  createStack,
  PORT_BASE_MAX,
  PORTS_PER_STACK,
  portLayout,
  readSettings,
  savedSettings,
  saveSettings,
} from './environment.ts';
import { secretsFile } from './secrets.ts';

describe('stack environment', () => {
  let stateDir: string;
  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'tsd-environment-'));
  });
  afterEach(() => rmSync(stateDir, { recursive: true }));

  it('runs everything on the loopback address when nothing is given', () => {
    const stack = createStack(stateDir, {});
    assert.deepEqual(stack.runs, { nats: true, redis: true, clickhouse: true, devnet: true });
    assert.match(stack.natsUrl, /^nats:\/\/tsd:\w+@127\.0\.0\.1:8081$/);
    assert.match(stack.redisUrl, /^redis:\/\/:\w+@127\.0\.0\.1:8083\/0$/);
    assert.match(stack.clickhouseUrl, /^http:\/\/app:\w+@127\.0\.0\.1:8084\/tsd$/);
    assert.equal(stack.rpcUrl, 'http://127.0.0.1:8085');
    assert.equal(stack.roleEnvironment['CHAIN_ID'], '31337');
    assert.equal(stack.roleEnvironment['WETH_ADDRESS'], DEVNET_ADDRESSES.weth);
  });

  it('makes secrets once, for the owner alone', () => {
    const made = ['KEY_PEPPER', 'WEBHOOK_SECRET_KEY'].map((name) => {
      const first = createStack(stateDir, {}).roleEnvironment[name];
      assert.equal(createStack(stateDir, {}).roleEnvironment[name], first);
      return first;
    });
    assert.equal(new Set(made).size, 2);
    assert.equal(statSync(secretsFile(stateDir)).mode & 0o777, 0o600);
  });

  it('reaches what is given by URL instead of running it', () => {
    const stack = createStack(stateDir, {
      PORT_BASE: '20000',
      NATS_URL: 'nats://nats.test:4222',
      CLICKHOUSE_URL: 'http://u:p@clickhouse.test:8123/other',
      RPC_URL: 'http://a.test,http://b.test',
      CHAIN_ID: '1',
    });
    assert.deepEqual(stack.runs, { nats: false, redis: true, clickhouse: false, devnet: false });
    assert.equal(stack.analystUrl, undefined);
    assert.equal(stack.roleEnvironment['RPC_URL'], 'http://a.test,http://b.test');
    assert.equal(stack.roleEnvironment['CHAIN_ID'], '1');
    assert.equal(stack.roleEnvironment['WETH_ADDRESS'], undefined);
    assert.equal(stack.apiUrl, 'http://127.0.0.1:20000');
  });

  it('finds a stack again by its folder, whatever the environment says', () => {
    saveSettings(stateDir, { PORT_BASE: '20000', RPC_URL: 'http://a.test' });
    assert.deepEqual(savedSettings(stateDir, { PORT_BASE: '30000' }), {
      PORT_BASE: '20000',
      RPC_URL: 'http://a.test',
    });
  });

  for (const [name, value] of [
    ['PORT_BASE', '80'],
    ['PORT_BASE', '65530'],
    ['RPC_URL', 'ftp://a.test'],
    ['CHAIN_ID', 'mainnet'],
    ['START_BLOCK', '-1'],
    ['FINALITY_DEPTH', '0'],
    ['MAIL_URL', 'http://mail.test'],
    ['WETH_ADDRESS', '0x12'],
    ['NATS_URL', 'nats'],
  ] as const) {
    it(`refuses ${name}=${value}, naming the variable`, () => {
      assert.throws(() => readSettings({ [name]: value }), new RegExp(name));
    });
  }

  it('takes an empty variable as not given', () => {
    assert.deepEqual(readSettings({ RPC_URL: '', PORT_BASE: '20000' }), { PORT_BASE: '20000' });
  });
});

describe('portLayout', () => {
  it('puts the API at the base and every other port at its own number after it', () => {
    assert.equal(portLayout(20_000).api, 20_000);
    const ports = Object.values(portLayout(20_000)).sort((left, right) => left - right);
    const expected = Array.from({ length: PORTS_PER_STACK }, (_, index) => 20_000 + index);
    assert.deepEqual(ports, expected);
  });

  it('stays within the ports that exist', () => {
    assert.equal(Math.max(...Object.values(portLayout(PORT_BASE_MAX))), 65_535);
  });
});
