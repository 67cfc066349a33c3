import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { DEVNET_ADDRESSES } from '../../shared/testing/devnet/devnetAddresses.ts';
import {
  createStack,
  PORT_BASE_MAX,
  PORTS_PER_STACK,
  portLayout,
  readSettings,
  savedSettings,
  saveSettings,
  settingsOfDemo,
  settingsToStart,
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

  it('makes secrets once, for the owner alone, and writes nothing afterwards: the disk may be full', () => {
    const made = ['KEY_PEPPER', 'WEBHOOK_SECRET_KEY'].map((name) => {
      const first = createStack(stateDir, {}).roleEnvironment[name];
      assert.equal(createStack(stateDir, {}).roleEnvironment[name], first);
      return first;
    });
    assert.equal(new Set(made).size, 2);
    assert.equal(statSync(secretsFile(stateDir)).mode & 0o777, 0o600);
    const { mtimeNs } = statSync(stateDir, { bigint: true });
    createStack(stateDir, {});
    assert.equal(statSync(stateDir, { bigint: true }).mtimeNs, mtimeNs);
  });

  it('makes no secrets anew where data was stored with those that are missing', () => {
    mkdirSync(join(stateDir, 'data'));
    assert.throws(() => createStack(stateDir, {}), /secrets\.json is missing, .*put it back/);
    assert.equal(existsSync(secretsFile(stateDir)), false);
  });

  it('says what is wrong with secrets that were changed by hand, and shows none', () => {
    createStack(stateDir, {});
    const made = JSON.parse(readFileSync(secretsFile(stateDir), 'utf8')) as Record<string, string>;
    const { redis: _redis, ...others } = made;
    writeFileSync(secretsFile(stateDir), JSON.stringify({ ...others, nats: 'top secret' }));
    assert.throws(() => createStack(stateDir, {}), {
      message: `${secretsFile(stateDir)} cannot be used: nats must be made of letters, digits, - and _; redis is missing`,
    });
    writeFileSync(secretsFile(stateDir), '{ "nats": "top secret", }');
    assert.throws(() => createStack(stateDir, {}), {
      message: `${secretsFile(stateDir)} is not JSON: repair it, or put a copy back`,
    });
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

  it('names the file where the variables of the last start cannot be used', () => {
    const file = join(stateDir, 'stack.json');
    writeFileSync(file, '{"LOG_LEVEL":"loud"}');
    const start = `${file}, the variables of the last make up: `;
    assert.throws(() => savedSettings(stateDir, {}), {
      message: `${start}wrong configuration\n  LOG_LEVEL: must be one of debug, info, warn, error, silent`,
    });
    writeFileSync(file, '{"LOG_LEVEL":');
    assert.throws(
      () => savedSettings(stateDir, {}),
      (error: Error) => error.message.startsWith(start),
    );
  });

  it('starts a stack as it was started last, unless something else is given', () => {
    const last = { PORT_BASE: '20000', RPC_URL: 'http://a.test', CHAIN_ID: '1' };
    saveSettings(stateDir, last);
    const start = (environment: NodeJS.ProcessEnv, hasEnvFile = false) =>
      settingsToStart(stateDir, environment, hasEnvFile);
    assert.deepEqual(start({}), { settings: last, kept: ['RPC_URL', 'PORT_BASE'], left: [] });
    const repeated = start({ PORT_BASE: '20000' });
    assert.deepEqual(repeated, { settings: last, kept: ['RPC_URL'], left: [] });
    const given = { RPC_URL: 'http://b.test' };
    assert.deepEqual(start(given), { settings: given, kept: [], left: ['PORT_BASE'] });
    const none = { settings: {}, kept: [], left: ['RPC_URL', 'PORT_BASE'] };
    assert.deepEqual(start({ RPC_URL: '' }), none);
    assert.deepEqual(start({}, true), none);
  });

  it('plays the demo on the stack in the folder, but not where it reads a chain of the user', () => {
    const demo = (environment: NodeJS.ProcessEnv) => settingsOfDemo(stateDir, environment, false);
    assert.throws(
      () => demo({ RPC_URL: 'http://a.test' }),
      /^Error: RPC_URL is set, .* leave it out$/,
    );
    saveSettings(stateDir, { PORT_BASE: '20000' });
    assert.deepEqual(demo({}), { PORT_BASE: '20000' });
    saveSettings(stateDir, { PORT_BASE: '20000', RPC_URL: 'http://a.test', CHAIN_ID: '1' });
    for (const environment of [{}, { PORT_BASE: '30000' }, { RPC_URL: '' }]) {
      assert.throws(
        () => demo(environment),
        /reads the chain of its RPC_URL.* another STATE_DIR and PORT_BASE$/,
      );
    }
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

  const ADDRESSES = 'must be e-mail addresses, comma-separated';
  const nonsense = [
    ['OPERATORS', 'me', ADDRESSES],
    ['OPERATORS', 'ops@example.org, ops@local', ADDRESSES],
    ['MAIL_FROM', 'Alerts', 'must be an e-mail address, or a name and <address>'],
    ['MAIL_FROM', 'Alerts <a@b.example', 'must be an e-mail address, or a name and <address>'],
    ['MAIL_URL', 'smtp://::', 'must be a URL with smtp:// or smtps://'],
    ['OIDC_ISSUER', 'https://:', 'must be a URL with https:// or http://'],
    ['BASE_URL', 'http://::', 'must be a URL with http:// or https://'],
    ['BASE_URL', 'http://a.example/?b', 'must be without ?, # and spaces'],
    ['HOST', 'http://0.0.0.0', 'must be an IP address or the name of a host'],
    [
      'REDIS_URL',
      'redis://',
      'must be URLs with redis:// or rediss:// or sentinel://, comma-separated',
    ],
    ['NATS_URL', 'nats://', 'must be URLs with nats:// or tls://, comma-separated'],
    ['CLICKHOUSE_ANALYST_URL', 'ftp://a', 'must be a URL with http:// or https://'],
    ['STABLE_ADDRESSES', ',', 'must have at least one entry'],
    [
      'NATIVE_PRICE_USD',
      '9'.repeat(400),
      'must be a decimal number of US dollars, such as 2500.50',
    ],
    [
      'RATE_PLANS',
      '{"free":{"perDay":0}}',
      'free.perDay: Number must be greater than or equal to 1',
    ],
  ] as const;
  for (const [name, value, rule] of nonsense) {
    it(`refuses a value that cannot be and says what can: ${name}=${value.slice(0, 30)}`, () => {
      const message = `wrong configuration\n  ${name}: ${rule}`;
      assert.throws(() => readSettings({ [name]: value }), { message });
    });
  }

  it('refuses a part of what a sign-in by OpenID Connect takes', () => {
    assert.throws(() => readSettings({ OIDC_ISSUER: 'https://id.test', OIDC_CLIENT_ID: 'me' }), {
      message: 'wrong configuration\n  OIDC_CLIENT_SECRET: must be set, as others of OIDC are',
    });
  });

  it('takes what the examples show', () => {
    const examples = readFileSync(join(projectRoot(), '.env.example'), 'utf8')
      .split('\n')
      .filter((line) => /^#[A-Z_]+=./.test(line))
      .map((line) => line.slice(1));
    assert.ok(examples.length > 20);
    readSettings(parseEnv(examples.join('\n')));
    readSettings({ OPERATORS: 'A@Example.org b@example.org,c@example.org', HOST: '::' });
    readSettings({ MAIL_FROM: 'a@localhost', BASE_URL: 'https://a.example/scam/' });
  });

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
