import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { fields, pricingOf, readConfig, wholeNumber } from './config.ts';
import { FatalError } from './errors.ts';

const schema = z.object({
  NATS_URL: fields.NATS_URL,
  RPC_URL: fields.RPC_URL,
  CHAIN_ID: fields.CHAIN_ID,
  WETH_ADDRESS: fields.WETH_ADDRESS,
  STABLE_ADDRESSES: fields.STABLE_ADDRESSES,
  NATIVE_PRICE_USD: fields.NATIVE_PRICE_USD,
  LOG_LEVEL: fields.LOG_LEVEL,
  HEALTH_PORT: fields.HEALTH_PORT,
});
const RPC = { RPC_URL: 'http://127.0.0.1:8545' };

describe('configuration', () => {
  it('has defaults, and takes an empty variable for an absent one', () => {
    const config = readConfig(schema, { ...RPC, CHAIN_ID: '', WETH_ADDRESS: '' });
    assert.equal(config.CHAIN_ID, 1);
    assert.equal(config.NATS_URL, 'nats://127.0.0.1:4222');
    assert.equal(config.WETH_ADDRESS, undefined);
  });

  it('reads lists, lower-case addresses and numbers', () => {
    const upper = `0x${'AB'.repeat(20)}`;
    const config = readConfig(schema, {
      RPC_URL: ' http://a:1 ,, wss://b:2/key ',
      STABLE_ADDRESSES: `${upper},${upper}`,
      NATIVE_PRICE_USD: '2500.50',
      CHAIN_ID: '31337',
    });
    assert.deepEqual(config.RPC_URL, ['http://a:1', 'wss://b:2/key']);
    assert.deepEqual(config.STABLE_ADDRESSES, [upper.toLowerCase(), upper.toLowerCase()]);
    assert.deepEqual([config.NATIVE_PRICE_USD, config.CHAIN_ID], [2500.5, 31_337]);
  });

  const wrong: [string, string, RegExp][] = [
    ['RPC_URL', '', /RPC_URL: must be set/],
    ['RPC_URL', 'ftp://a', /RPC_URL: must be a URL with http:\/\/ or https:\/\//],
    ['NATS_URL', 'http://a', /NATS_URL: must be a URL with nats:\/\//],
    ['CHAIN_ID', '-1', /CHAIN_ID: must be a whole number/],
    ['CHAIN_ID', '1e3', /CHAIN_ID/],
    ['HEALTH_PORT', '70000', /HEALTH_PORT: .*65535/],
    ['WETH_ADDRESS', '0x12', /WETH_ADDRESS: must be an address/],
    ['NATIVE_PRICE_USD', 'much', /NATIVE_PRICE_USD: must be a decimal number/],
    ['LOG_LEVEL', 'loud', /LOG_LEVEL: .*'debug' \| 'info'/],
  ];
  for (const [name, value, message] of wrong) {
    it(`names ${name}, wrong as "${value}", and what is allowed`, () => {
      assert.throws(
        () => readConfig(schema, { ...RPC, [name]: value }),
        (error) => error instanceof FatalError && message.test(error.message),
      );
    });
  }

  it('names every wrong variable at once', () => {
    assert.throws(
      () => readConfig(schema, { CHAIN_ID: 'x', HEALTH_PORT: 'y' }),
      (error) => {
        assert.ok(error instanceof FatalError);
        for (const name of ['RPC_URL', 'CHAIN_ID', 'HEALTH_PORT'])
          assert.match(error.message, new RegExp(name));
        return true;
      },
    );
  });

  it('never repeats a value: it may hold a password', () => {
    assert.throws(
      () => readConfig(schema, { ...RPC, NATS_URL: 'http://me:hunter2@a' }),
      (error) => error instanceof FatalError && !error.message.includes('hunter2'),
    );
  });

  it('bounds whole numbers on both sides', () => {
    const number = wholeNumber(2, 4);
    assert.deepEqual(
      ['1', '2', '4', '5', '3.5', ' 3', ''].map((text) => number.safeParse(text).success),
      [false, true, true, false, false, false, false],
    );
  });
});

describe('pricing', () => {
  const weth = `0x${'11'.repeat(20)}` as const;
  it('is known of known chains', () => {
    const known = pricingOf({ CHAIN_ID: 1 });
    assert.equal(known.weth, '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2');
    assert.equal(known.stables.length, 3);
  });
  it('is what the environment says before that', () => {
    const own = { CHAIN_ID: 1, WETH_ADDRESS: weth, STABLE_ADDRESSES: [weth], NATIVE_PRICE_USD: 7 };
    assert.deepEqual(pricingOf(own), { weth, stables: [weth], nativePriceUsd: 7 });
  });
  it('of an unknown chain needs its wrapped token', () => {
    assert.throws(() => pricingOf({ CHAIN_ID: 4_711 }), /WETH_ADDRESS: must be set for chain 4711/);
    const own = { CHAIN_ID: 4_711, WETH_ADDRESS: weth };
    assert.deepEqual(pricingOf(own), { weth, stables: [], nativePriceUsd: 0 });
  });
});
