import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectNats } from '../shared/adapters/nats.ts';
import { createRpc } from '../shared/adapters/rpc/createRpc.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { readStanding } from '../shared/testing/chaos/standing.ts';
import { createDevnetNode } from '../shared/testing/devnet/createDevnetNode.ts';
import { startRole, until } from '../shared/testing/pipelineProcess.ts';
import { startAnvil, startNats } from '../shared/testing/services.ts';

const CHAIN_ID = 31_337;
const WAIT_MS = 120_000;
/** anvil calls blocks 64 below its head final. */
const BLOCKS = 100;
const DEPTH = 80;

test('a reorg beyond finality stops the watcher, which says why and stays down', async () => {
  const [anvil, nats] = await Promise.all([startAnvil(), startNats()]);
  const environment = {
    NATS_URL: nats.url,
    RPC_URL: anvil.url,
    CHAIN_ID: String(CHAIN_ID),
    LOG_LEVEL: 'info',
  };
  const rpc = createRpc([anvil.url], systemClock);
  let watcher = startRole('watcher', environment);
  const connection = await connectNats(nats.url, 'test');
  try {
    const node = createDevnetNode({ url: anvil.url });
    await node.mine(BLOCKS);
    const { hash } = (await rpc.source.follow(0, 0)).head;
    const isRead = async (): Promise<true | undefined> => {
      const standing = await readStanding(connection, CHAIN_ID);
      return standing?.tip === hash || undefined;
    };
    // Readers are made by the watcher's start, so their standing can be asked for.
    await until('the chain is published', isRead, WAIT_MS, [watcher]);
    for (const attempt of ['while it runs', 'after a restart']) {
      if (attempt === 'while it runs') await node.reorg(DEPTH);
      else watcher = startRole('watcher', environment);
      await until(`ended ${attempt}`, () => watcher.hasEnded() || undefined, WAIT_MS);
      assert.equal(await watcher.stop(), 1, attempt);
      assert.match(watcher.output(), /reorg beyond finality/, attempt);
      assert.match(watcher.output(), /RPC_URL/, attempt);
    }
  } finally {
    await watcher.stop('SIGKILL');
    await connection.close();
    rpc.close();
    await Promise.all([anvil.stop(), nats.stop()]);
  }
});
