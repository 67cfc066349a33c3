import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createAlertSettingsStore } from '../../../shared/families/alertSettingsStore.ts';
import {
  createWatchlistStore,
  type WatchlistStore,
} from '../../../shared/families/watchlistStore.ts';
import { encodeChainEvent } from '../../../shared/messages/chainMessage.ts';
import type { AlertOverrides } from '../../../shared/messages/settingsMessage.ts';
import { chainStream, chainSubject } from '../../../shared/messages/subjects.ts';
import { ensureStreams } from '../../../shared/platform/nats.ts';
import { until } from '../../../shared/testing/pipelineProcess.ts';
import { type Stores, startStores, untilChangesFollowed } from '../../../shared/testing/stores.ts';
import { type SupervisedRole, supervise, untilReady } from '../../testing/chaos/liveStack.ts';
import { createAlertStore } from '../raise/alertStore.ts';
import {
  address,
  block,
  blocksEvent,
  GENESIS_S,
  hash,
  TOKEN,
  USD,
  WETH,
  watchItem,
} from '../testing/chainBuilder.ts';

const CHAINS = [31_337, 31_338] as const;
const SETTLED_MS_MAX = 120_000;

describe('changes of watchlists and settings reach two alerts processes', () => {
  let stores: Stores;
  let watchlists: WatchlistStore;
  let roles: SupervisedRole[];
  let height = 0;

  const set = (overrides: AlertOverrides) =>
    createAlertSettingsStore(stores.redis).update('fam1', () => overrides);
  /** The token changes its owner on both chains; returns how many chains publish that block. */
  const chainsThatTell = async (): Promise<number> => {
    await untilChangesFollowed(stores.redis, CHAINS.length);
    height += 1;
    const place = { txHash: hash(`own ${height}`), txIndex: 0, logIndex: 0 };
    const owners = { previousOwner: address('ann'), newOwner: address('bob') };
    const one = block(height, [
      { kind: 'ownershipTransferred', contract: TOKEN, ...owners, ...place },
    ]);
    for (const chainId of CHAINS) {
      const event = { ...blocksEvent([one]), chainId };
      await stores.nats.jetstream().publish(chainSubject(chainId), encodeChainEvent(event));
    }
    await until('handled', areSettled, SETTLED_MS_MAX);
    const times = { fromS: GENESIS_S, toS: GENESIS_S + 1_000_000 };
    const rows = await createAlertStore(stores.clickhouse).recent(['fam1'], times);
    return rows.filter(({ alert }) => alert.blockNumber === height).length;
  };
  const areSettled = async (): Promise<true | undefined> => {
    const jsm = await stores.nats.jetstreamManager();
    for (const chainId of CHAINS) {
      const { state } = await jsm.streams.info(chainStream(chainId));
      const { ack_floor } = await jsm.consumers.info(chainStream(chainId), 'alerts');
      if (ack_floor.stream_seq < state.last_seq) return undefined;
    }
    return true;
  };

  before(async () => {
    stores = await startStores();
    watchlists = createWatchlistStore(stores.redis);
    await ensureStreams(stores.nats, CHAINS);
    roles = await Promise.all(
      CHAINS.map((chainId) =>
        supervise('alerts', {
          ...stores.environment,
          CHAIN_ID: String(chainId),
          WETH_ADDRESS: WETH,
          STABLE_ADDRESSES: USD,
          NATIVE_PRICE_USD: '2000',
        }),
      ),
    );
    await untilReady('alerts', roles);
  });
  after(async () => {
    await Promise.all((roles ?? []).map((role) => role.stop()));
    await stores?.stop();
  });

  it('at once: a new watch, muting, quiet settings undone, a watch removed', async () => {
    const item = watchItem({ alerts: ['ownership_change'] });
    assert.equal(await chainsThatTell(), 0);
    await set({ dedupe_window_seconds: 0 });
    assert.equal((await watchlists.add(item, 1)).kind, 'added');
    assert.equal(await chainsThatTell(), 2);
    await set({ dedupe_window_seconds: 0, muted: ['ownership_change'] });
    assert.equal(await chainsThatTell(), 0);
    await set({ dedupe_window_seconds: 0, min_severity: 'critical' });
    assert.equal(await chainsThatTell(), 0);
    await set({ dedupe_window_seconds: 0 });
    assert.equal(await chainsThatTell(), 2);
    assert.equal(await watchlists.remove(item), true);
    assert.equal(await chainsThatTell(), 0);
  });
});
