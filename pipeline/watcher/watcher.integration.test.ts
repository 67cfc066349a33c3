import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from 'nats';
import type { ChainEvent } from '../../shared/chain/chainEvent.ts';
import { decodeChainEvent } from '../../shared/messages/chainMessage.ts';
import { chainStream } from '../../shared/messages/subjects.ts';
import { systemClock } from '../../shared/platform/clock.ts';
import { connectNats, ensureStreams } from '../../shared/platform/nats.ts';
import { createRpc, type Rpc } from '../../shared/platform/rpc/createRpc.ts';
import { createDevnet, type Devnet } from '../../shared/testing/devnet/createDevnet.ts';
import { startRole, type TestProcess, until } from '../../shared/testing/pipelineProcess.ts';
import { type Service, startAnvil, startNats } from '../../shared/testing/services.ts';
import { readStream } from '../../shared/testing/stores.ts';
import { readStreamProgress } from '../testing/chaos/storedState.ts';
import { RECORDED_BLOCKS, skipUnless, startReplay } from '../testing/pipelineStack.ts';
import { rangeOfBlocks } from './blockRange.ts';
import { readCanonicalFacts } from './testing/scriptedWatcher.ts';

const WAIT_MS = 120_000;

/** All events of a chain's stream, in order. */
const readEvents = async (connection: NatsConnection, chainId: number): Promise<ChainEvent[]> =>
  (await readStream(connection, chainStream(chainId))).map(({ data }) => decodeChainEvent(data));

/** Waits until the stream's last complete block is `hash`. */
const untilPublished = (connection: NatsConnection, chainId: number, hash: string) =>
  until(
    `block ${hash} is published`,
    async () => (await readStreamProgress(connection, chainId))?.tip === hash || undefined,
    WAIT_MS,
  );

describe('watcher on anvil and NATS', () => {
  const CHAIN_ID = 31_337;
  let anvil: Service;
  let nats: Service;
  let devnet: Devnet;
  let connection: NatsConnection;
  let rpc: Rpc;
  let watcher: TestProcess | undefined;
  let environment: Record<string, string>;

  before(async () => {
    [anvil, nats] = await Promise.all([startAnvil(), startNats()]);
    devnet = await createDevnet({ url: anvil.url });
    await devnet.deployUniswap();
    connection = await connectNats(nats.url, 'test');
    await ensureStreams(connection, [CHAIN_ID]);
    rpc = createRpc([anvil.url], systemClock);
    const urls = `${anvil.url.replace('http', 'ws')},${anvil.url}`;
    environment = { NATS_URL: nats.url, RPC_URL: urls, CHAIN_ID: String(CHAIN_ID) };
  });

  after(async () => {
    await watcher?.stop('SIGKILL');
    await connection.close();
    rpc.close();
    await Promise.all([anvil.stop(), nats.stop()]);
  });

  const headOf = async () => (await rpc.source.follow(0, 0)).head;

  const assertStreamIsChain = async (): Promise<void> => {
    const head = await headOf();
    await untilPublished(connection, CHAIN_ID, head.hash);
    const known = readCanonicalFacts(await readEvents(connection, CHAIN_ID));
    const wanted = new Map<string, readonly unknown[]>();
    for (let number = 0; number <= head.number; number += 20) {
      const blocks = await rpc.source.blocks(number, Math.min(head.number, number + 19));
      for (const { hash, facts } of rangeOfBlocks(blocks).blocks) wanted.set(hash, facts);
    }
    assert.deepEqual([...known.keys()].toSorted(), [...wanted.keys()].toSorted());
    for (const [hash, facts] of wanted) assert.equal(known.get(hash)?.length, facts.length);
  };

  const anvilCall = async (method: string, params: unknown[]): Promise<void> => {
    const [outcome] = (await rpc.pool.endpoints[0]?.call([{ method, params }])) ?? [];
    assert.ok(outcome?.ok, JSON.stringify(outcome));
  };

  test('publishes a chain that was there before it, then every new block', async () => {
    watcher = startRole('watcher', environment);
    await assertStreamIsChain();
    const token = await devnet.deployToken('honest');
    await devnet.addLiquidity(token, 10);
    await assertStreamIsChain();
  });

  // `watcher.test.ts` covers the cases in between.
  for (const depth of [1, 64]) {
    test(`takes back a real reorg of depth ${depth}`, async () => {
      await anvilCall('anvil_mine', ['0x40']);
      const token = await devnet.deployToken('honest');
      await devnet.addLiquidity(token, 10);
      await assertStreamIsChain();
      await anvilCall('anvil_reorg', [depth, []]);
      await assertStreamIsChain();
      await devnet.deployToken('tax');
      await assertStreamIsChain();
    });
  }

  test('loses and doubles nothing when killed at any time, the chain and NATS included', async () => {
    for (let round = 0; round < 6; round += 1) {
      const token = await devnet.deployToken('honest');
      await devnet.addLiquidity(token, 10);
      await anvilCall('anvil_mine', ['0x5']);
      await sleep(round * 15);
      await watcher?.stop('SIGKILL');
      if (round % 2 === 0) await anvilCall('anvil_reorg', [1 + round, []]);
      if (round === 3) await nats.kill();
      watcher = startRole('watcher', environment);
      if (round === 3) await nats.restart();
    }
    await assertStreamIsChain();
  });

  test('drains and exits 0 on SIGTERM', async () => {
    assert.equal(await watcher?.stop(), 0);
    await assertStreamIsChain();
  });
});

describe('watcher on recorded mainnet blocks', () => {
  const data = RECORDED_BLOCKS;

  // Market facts in their logs are tested in `shared/decode/recordedMarkets.test.ts` and
  // `pipeline/replay.long.test.ts`.
  test('finds every transfer and every creation of 45 blocks', {
    skip: skipUnless(data),
  }, async () => {
    const { url, process: replay } = await startReplay(['blocks', data]);
    const nats = await startNats();
    let watcher: TestProcess | undefined;
    try {
      watcher = startRole('watcher', {
        NATS_URL: nats.url,
        RPC_URL: url,
        CHAIN_ID: '1',
        START_BLOCK: '1000',
      });
      const rpc = createRpc([url], systemClock);
      const { head } = await rpc.source.follow(0, 0);
      rpc.close();
      const connection = await connectNats(nats.url, 'test');
      await untilPublished(connection, 1, head.hash);
      const facts = [...readCanonicalFacts(await readEvents(connection, 1)).values()].flat();
      await connection.close();
      const count = (kind: string): number => facts.filter((fact) => fact.kind === kind).length;
      const recorded = JSON.parse(readFileSync(join(data, 'facts.json'), 'utf8')) as {
        blocks: Record<string, Record<string, number>>;
      };
      const sum = (name: string): number =>
        Object.values(recorded.blocks).reduce((total, block) => total + (block[name] ?? 0), 0);
      assert.equal(count('transfer'), sum('erc20_transfer'));
      assert.equal(count('creation'), sum('created_live') - sum('created_internal'));
    } finally {
      await watcher?.stop('SIGKILL');
      await replay.stop('SIGKILL');
      await nats.stop();
    }
  });
});
