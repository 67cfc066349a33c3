import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDevnet, type Devnet } from '../shared/testing/devnet/createDevnet.ts';
import { createRandom } from '../shared/testing/random.ts';
import { type Service, startAnvil } from '../shared/testing/services.ts';
import { createDevnetDriver, type DevnetDriver } from './testing/chaos/crashStage.ts';
import { type LiveStack, startLiveStack, untilReady } from './testing/chaos/liveStack.ts';
import { DEVNET_BASES } from './testing/chaos/storedState.ts';

const ROLES = ['watcher', 'scorer', 'alerts', 'clusters', 'push'] as const;
const POLL_MS = 25;
/** On a slow machine the restarts take long: what is compared must not grow with it. */
const ACTIONS_MAX = 60;
/** Shallow enough that a reorg does not take back what was compared. */
const DEPTH_MAX = 3;

describe('roles restarted in turn while the chain goes on', () => {
  let anvil: Service;
  let devnet: Devnet;
  let driver: DevnetDriver;
  let stack: LiveStack;

  before(async () => {
    anvil = await startAnvil();
    devnet = await createDevnet({ url: anvil.url });
    driver = createDevnetDriver(devnet, createRandom(11));
    await driver.prepare();
    stack = await startLiveStack(anvil.url);
    await stack.startRoles(ROLES);
    await stack.untilConverged(devnet.publicClient, DEVNET_BASES);
  });
  after(async () => {
    await stack?.stop();
    await anvil?.stop();
  });

  it('end by themselves, go on where they were, lose nothing and double nothing', async (context) => {
    let isOver = false;
    const living = (async () => {
      for (let done = 0; !isOver && done < ACTIONS_MAX; done += 1) {
        await driver.act(DEPTH_MAX);
        await sleep(POLL_MS);
      }
    })();
    try {
      for (const name of ROLES) {
        const role = stack.roles.get(name);
        assert.ok(role);
        assert.equal(await role.restart(), 0, role.output());
        await untilReady(`${name} again`, [role]);
      }
    } finally {
      isOver = true;
      await living;
    }
    await devnet.mine(2, 1);
    await stack.untilConverged(devnet.publicClient, DEVNET_BASES);
    const logs = await stack.assertFacts(devnet.publicClient);
    const exits = [...stack.roles.values()].map((role) => role.ownExits());
    assert.deepEqual(
      exits,
      ROLES.map(() => 0),
      'no role ended for another reason',
    );
    context.diagnostic(`${logs} logs, ${JSON.stringify(driver.counts())}`);
  });
});
