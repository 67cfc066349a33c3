import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type HttpServer, startHttp } from '../../shared/testing/startHttp.ts';
import { tempFolder } from '../../shared/testing/tempFolder.ts';
import { checkReachable, namesGiven, unknownNames } from './checkSettings.ts';
import { createStack, type Settings, variablesToRepeat } from './environment.ts';

const HEAD = 500;
const WETH_ADDRESS = `0x${'11'.repeat(20)}`;

describe('settings', () => {
  const folder = tempFolder();
  let node: HttpServer;
  let nodeUrl: string;
  const check = (settings: Settings, isServersOnly = false): Promise<Settings> =>
    checkReachable(settings, createStack(join(folder, 'state'), settings), { isServersOnly });

  before(async () => {
    const results: Record<string, string> = { eth_chainId: '0x5', eth_blockNumber: '0x1f4' };
    node = await startHttp(({ url }, response, body) => {
      if (url === '/html') return void response.writeHead(502).end('<b>Bad gateway</b>');
      const { method } = JSON.parse(body) as { method: string };
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: results[method] }));
    });
    nodeUrl = node.origin;
  });
  after(() => node.close());

  it('names the nearest setting of an unknown variable, by where it was written', () => {
    const envFile = join(folder, '.env');
    writeFileSync(envFile, '# RPCURLS=x\nSTARTBLOCK=1\nCOMPOSE_PROJECT_NAME=a\nCHAIN_ID=1\n');
    const given = namesGiven(envFile, {
      MAKEFLAGS: String.raw` --no-print-directory -- RPC_ULR=http://a\ NOT=b Q=SELECT\ 1 PORT=9000`,
      LOGLEVEL: 'debug',
      HOSTNAME: 'a',
      HEALTH_PORT: '1',
      HOME: '/root',
      PATH: '/bin',
    });
    const { problems, warnings } = unknownNames(given);
    assert.deepEqual(problems, [
      'STARTBLOCK is not a setting: did you mean START_BLOCK?',
      'RPC_ULR is not a setting: did you mean RPC_URL?',
    ]);
    assert.deepEqual(warnings, [
      'COMPOSE_PROJECT_NAME is not a setting and has no effect: see .env.example',
      'Q is not a setting and has no effect: see .env.example',
      'PORT has no effect: the stack chooses it',
      'LOGLEVEL is not a setting: did you mean LOG_LEVEL?',
    ]);
  });

  it('asks the node for its chain', async () => {
    assert.equal(
      (await check({ RPC_URL: `${nodeUrl},http://127.0.0.1:9`, WETH_ADDRESS })).CHAIN_ID,
      '5',
    );
    assert.deepEqual(await check({}), {});
    for (const START_BLOCK of ['0', String(HEAD)])
      await check({ RPC_URL: nodeUrl, WETH_ADDRESS, START_BLOCK });
  });

  const refused: [string, () => Settings, RegExp][] = [
    [
      'a node that does not answer, without its key',
      () => ({ RPC_URL: 'http://me:pass@127.0.0.1:9/key' }),
      /^Error: RPC_URL: no node answers: http:\/\/127\.0\.0\.1:9: (connection refused|bad port).*$/,
    ],
    [
      'a node that answers something else',
      () => ({ RPC_URL: `${nodeUrl}/html` }),
      /RPC_URL: no node answers: .*: answers eth_chainId with HTTP 502 <b>Bad gateway<\/b>/,
    ],
    [
      'a WebSocket alone, without the id of its chain',
      () => ({ RPC_URL: 'ws://127.0.0.1:9' }),
      /RPC_URL: .*set CHAIN_ID/,
    ],
    [
      'a node of another chain',
      () => ({ RPC_URL: nodeUrl, CHAIN_ID: '1' }),
      /CHAIN_ID: .* serves chain 5, not 1/,
    ],
    [
      'a chain whose base token is not known',
      () => ({ RPC_URL: nodeUrl }),
      /^Error: WETH_ADDRESS: must be set for chain 5, which is not a known one$/,
    ],
    [
      'a first block that is not there yet',
      () => ({ RPC_URL: nodeUrl, WETH_ADDRESS, START_BLOCK: String(HEAD + 1) }),
      /^Error: START_BLOCK: 501 is beyond the head of the chain, block 500: give 0 to 500, or leave it out to begin at the head$/,
    ],
    [
      'a first block that the development chain will not have',
      () => ({ START_BLOCK: '1' }),
      /^Error: START_BLOCK: 1 is beyond the development chain, .*: leave it out, or give RPC_URL$/,
    ],
    [
      'an address that this machine does not have',
      () => ({ HOST: '192.0.2.1' }),
      /^Error: HOST: 192\.0\.2\.1 is not an address of this machine$/,
    ],
    [
      'servers that do not answer, without their passwords',
      () => ({
        CLICKHOUSE_URL: 'http://app:pass@127.0.0.1:2/tsd',
        REDIS_URL: 'redis://:pass@127.0.0.1:2',
      }),
      /^Error: redis does not answer at the URL given, redis:\/\/127\.0\.0\.1:2: connection refused.*\nclickhouse does not answer at the URL given, http:\/\/127\.0\.0\.1:2: connection refused[^\n]*$/,
    ],
  ];
  for (const [what, settings, message] of refused) {
    it(`refuses ${what}`, () => assert.rejects(() => check(settings()), message));
  }

  it('starts servers alone without the chain where its id is given', async () => {
    const settings = { RPC_URL: 'http://127.0.0.1:9', CHAIN_ID: '5' };
    assert.deepEqual(await check(settings, true), settings);
  });

  it('reach a command as they are written, whatever make would read into them', () => {
    const given = String.raw`API_KEY=a$b$(HOME)#c`;
    const { stdout } = spawnSync('make', ['--dry-run', 'mcp', given], { encoding: 'utf8' });
    assert.ok(stdout.includes(String.raw`API_KEY='a$b$(HOME)#c'`), stdout);
  });

  it('are repeated as they are typed', () => {
    const given = { STATE_DIR: "/tmp/it's", PORT_BASE: '20000', RPC_URL: 'http://a:b@c' };
    assert.equal(variablesToRepeat(given), String.raw` STATE_DIR='/tmp/it'\''s' PORT_BASE=20000`);
    assert.equal(variablesToRepeat({}), '');
  });
});
