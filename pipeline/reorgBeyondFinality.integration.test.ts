import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectNats } from '../shared/platform/nats.ts';
import { createDevnetNode } from '../shared/testing/devnet/devnetNode.ts';
import { startRole, until } from '../shared/testing/pipelineProcess.ts';
import { startAnvil, startNats } from '../shared/testing/services.ts';
import { depthAbove, mustStop, publishedFinal } from './testing/chaos/outcome.ts';
import { readStreamProgress } from './testing/chaos/storedState.ts';

const CHAIN_ID = 31_337;
const WAIT_MS = 120_000;
/** anvil calls blocks 64 below its head final; what is published is some blocks behind. */
const BLOCKS = 100;

test('a reorg down to what was published as final is followed; one block deeper stops the watcher, which says why and stays down', async () => {
  const [anvil, nats] = await Promise.all([startAnvil(), startNats()]);
  const environment = {
    NATS_URL: nats.url,
    RPC_URL: anvil.url,
    CHAIN_ID: String(CHAIN_ID),
    LOG_LEVEL: 'info',
  };
  let watcher = startRole('watcher', environment);
  const connection = await connectNats(nats.url, 'test');
  try {
    const node = createDevnetNode({ url: anvil.url });
    const { publicClient } = node;
    const isRead = async (): Promise<true | undefined> => {
      const { hash } = await publicClient.getBlock();
      const progress = await readStreamProgress(connection, CHAIN_ID);
      return progress?.tip === hash || undefined;
    };
    await node.mine(BLOCKS);
    // Readers are made by the watcher's start, so their progress can be asked for.
    await until('the chain is published', isRead, WAIT_MS, [watcher]);

    const final = await publishedFinal(connection, CHAIN_ID);
    const depth = await depthAbove(publicClient, final);
    await node.reorg(depth);
    assert.equal(await mustStop(publicClient, final), false);
    await until('the other branch is published', isRead, WAIT_MS, [watcher]);
    assert.deepEqual(await publishedFinal(connection, CHAIN_ID), final);

    await node.reorg(depth + 1);
    assert.equal(await mustStop(publicClient, final), true);
    for (const attempt of ['while it runs', 'after a restart']) {
      if (attempt === 'after a restart') watcher = startRole('watcher', environment);
      const hasEnded = () => watcher.hasEnded() || undefined;
      await until(`ended ${attempt}`, hasEnded, WAIT_MS).catch((cause: unknown) => {
        throw new Error(`it goes on ${attempt}\n${watcher.output()}`, { cause });
      });
      assert.equal(await watcher.stop(), 1, watcher.output());
      assert.match(watcher.output(), /reorg beyond finality/, attempt);
      assert.match(watcher.output(), /RPC_URL/, attempt);
    }
    assert.deepEqual(await publishedFinal(connection, CHAIN_ID), final);
  } finally {
    await watcher.stop('SIGKILL');
    await connection.close();
    await Promise.all([anvil.stop(), nats.stop()]);
  }
});
