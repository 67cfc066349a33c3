import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeChainEvent } from '../shared/messages/chainMessage.ts';
import { chainStream } from '../shared/messages/subjects.ts';
import { connectNats } from '../shared/platform/nats.ts';
import { createDevnetNode } from '../shared/testing/devnet/devnetNode.ts';
import { startRole, until } from '../shared/testing/pipelineProcess.ts';
import { startAnvil, startNats } from '../shared/testing/services.ts';
import { readStream } from '../shared/testing/stores.ts';
import { readStreamProgress } from './testing/chaos/storedState.ts';
import { readPublishedFinal } from './watcher/testing/scriptedWatcher.ts';

const CHAIN_ID = 31_337;
const WAIT_MS = 120_000;
/** anvil calls blocks 64 below its head final; the published final block is some blocks behind. */
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
    const published = async () =>
      (await readStream(connection, chainStream(CHAIN_ID))).map(({ data }) =>
        decodeChainEvent(data),
      );
    await node.mine(BLOCKS);
    // The watcher's start creates the readers, so their progress can be read.
    await until('the chain is published', isRead, WAIT_MS, [watcher]);

    const final = readPublishedFinal(await published());
    assert.ok(final, 'something was published as final');
    const isReplaced = async (): Promise<boolean> => {
      const { hash } = await publicClient.getBlock({ blockNumber: BigInt(final.number) });
      return hash !== final.hash;
    };
    /** Leaves the final block; one more removes it. */
    const depth = BLOCKS - final.number;
    await node.reorg(depth);
    assert.equal(await isReplaced(), false);
    await until('the other branch is published', isRead, WAIT_MS, [watcher]);
    const followed = await published();
    assert.deepEqual(readPublishedFinal(followed), final);

    await node.reorg(depth + 1);
    assert.equal(await isReplaced(), true);
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
    assert.deepEqual(await published(), followed, 'nothing of it can be stored');
  } finally {
    await watcher.stop('SIGKILL');
    await connection.close();
    await Promise.all([anvil.stop(), nats.stop()]);
  }
});
