import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { tempFolder } from '../testing/tempFolder.ts';
import { fields, pricingOf, readConfig, wholeNumber } from './config.ts';
import { FatalError } from './errors.ts';

const schema = z.object({
  NATS_URL: fields.NATS_URL,
  NATS_REPLICAS: fields.NATS_REPLICAS,
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
    const upper = `0X${'AB'.repeat(20)}`;
    const config = readConfig(schema, {
      RPC_URL: ' http://a:1 ,, wss://b:2/key ',
      NATS_URL: 'nats://a:1,nats://b:2',
      NATS_REPLICAS: '3',
      STABLE_ADDRESSES: `${upper},${upper}`,
      NATIVE_PRICE_USD: '2500.50',
      CHAIN_ID: '31337',
    });
    assert.deepEqual(config.RPC_URL, ['http://a:1', 'wss://b:2/key']);
    assert.deepEqual([config.NATS_URL, config.NATS_REPLICAS], ['nats://a:1,nats://b:2', 3]);
    assert.deepEqual(config.STABLE_ADDRESSES, [upper.toLowerCase(), upper.toLowerCase()]);
    assert.deepEqual([config.NATIVE_PRICE_USD, config.CHAIN_ID], [2500.5, 31_337]);
  });

  const wrong: [string, string, RegExp][] = [
    ['RPC_URL', '', /RPC_URL: must be set/],
    ['RPC_URL', 'ftp://a', /RPC_URL: must be a URL with http:\/\/ or https:\/\//],
    ['RPC_URL', 'http://a:1,b', /RPC_URL: must be a URL with http:\/\//],
    ['NATS_URL', 'http://a', /NATS_URL: must be URLs with nats:\/\//],
    ['NATS_URL', 'nats://a,b', /NATS_URL: must be URLs/],
    ['NATS_REPLICAS', '2', /NATS_REPLICAS: must be one of 1, 3, 5$/m],
    ['CHAIN_ID', '-1', /CHAIN_ID: must be a whole number/],
    ['CHAIN_ID', '1e3', /CHAIN_ID/],
    ['HEALTH_PORT', '70000', /HEALTH_PORT: must be a whole number from 0 to 65535/],
    ['WETH_ADDRESS', '0x12', /WETH_ADDRESS: must be an address/],
    ['NATIVE_PRICE_USD', 'much', /NATIVE_PRICE_USD: must be a decimal number/],
    ['LOG_LEVEL', 'loud', /LOG_LEVEL: must be one of debug, info, warn, error, silent$/m],
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

describe('secrets', () => {
  const folder = tempFolder();
  const secrets = z.object({
    KEY_PEPPER: fields.KEY_PEPPER,
    REDIS_URL: fields.REDIS_URL,
    CHAIN_ID: fields.CHAIN_ID,
  });
  const PEPPER = 'pepper-of-at-least-32-characters.';
  const fileOf = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const refusal = (variables: Record<string, string>): string => {
    try {
      readConfig(secrets, variables);
      return 'accepted';
    } catch (error) {
      assert.ok(error instanceof FatalError);
      return error.message;
    }
  };

  it('are read from files, with or without a line end, and nothing else is cut off', () => {
    const texts = [PEPPER, `${PEPPER}\n`, `${PEPPER}\r\n`];
    for (const [i, text] of texts.entries()) {
      const read = readConfig(secrets, { KEY_PEPPER_FILE: fileOf(`pepper${i}`, text) });
      assert.equal(read.KEY_PEPPER, PEPPER);
    }
    const spaced = readConfig(secrets, { KEY_PEPPER_FILE: fileOf('spaced', ` ${PEPPER} \n\n`) });
    assert.equal(spaced.KEY_PEPPER, ` ${PEPPER} \n`);
  });

  it('are refused where the file is missing, empty or far too large, by its name', () => {
    const missing = refusal({ KEY_PEPPER_FILE: join(folder, 'missing') });
    assert.match(missing, /KEY_PEPPER_FILE: the file .*missing cannot be read \(ENOENT\)/);
    assert.match(
      refusal({ KEY_PEPPER_FILE: fileOf('empty', '\n') }),
      /KEY_PEPPER_FILE: .*is empty/,
    );
    const large = fileOf('large', 'x'.repeat(70_000));
    assert.match(refusal({ KEY_PEPPER_FILE: large }), /KEY_PEPPER_FILE: .*more than 65536 bytes/);
  });

  it('are refused where both forms are given, each by its name', () => {
    const file = fileOf('both', PEPPER);
    const url = 'redis://user:hunter2@a/0';
    const message = refusal({
      KEY_PEPPER: PEPPER,
      KEY_PEPPER_FILE: file,
      REDIS_URL: url,
      REDIS_URL_FILE: file,
    });
    assert.match(message, /KEY_PEPPER: must not be set together with KEY_PEPPER_FILE/);
    assert.match(message, /REDIS_URL: must not be set together with REDIS_URL_FILE/);
    assert.ok(!message.includes('hunter2') && !message.includes(PEPPER));
  });

  it('of other roles are not looked at, and what is no secret is not read from files', () => {
    const file = fileOf('chain', '5');
    const missing = join(folder, 'missing');
    const variables = { KEY_PEPPER: PEPPER, MAIL_URL_FILE: missing, CHAIN_ID_FILE: file };
    assert.equal(readConfig(secrets, variables).CHAIN_ID, 1);
  });

  it('from files are checked like any other, without a word of what they hold', () => {
    const message = refusal({ KEY_PEPPER_FILE: fileOf('short', 'hunter2') });
    assert.match(message, /KEY_PEPPER: must have at least 32 characters/);
    assert.ok(!message.includes('hunter2'));
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
