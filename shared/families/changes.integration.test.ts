import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { startCache } from '../../shared/testing/stores.ts';
import { systemClock } from '../platform/clock.ts';
import { silentLogger } from '../platform/logger.ts';
import { createScript } from '../platform/redis.ts';
import { until } from '../testing/pipelineProcess.ts';
import { untilChangesFollowed } from '../testing/stores.ts';
import { ANNOUNCE_LUA, CHANGE_KEYS, followChanges } from './changes.ts';

const STORED = 'stored';
const SAVE = `${ANNOUNCE_LUA}
redis.call('SADD', KEYS[3], ARGV[1])
announce('watch', ARGV[1])
`;
const WAIT_MS_MAX = 30_000;

const { server, redis, stop } = await startCache();
after(stop);

describe('changes', () => {
  beforeEach(() => redis.flushall());

  const save = (text: string) => createScript(redis, SAVE)([...CHANGE_KEYS, STORED], [text]);
  /** A follower that holds a set; `whileLoading` runs between its reads. */
  const follow = (whileLoading: () => Promise<unknown> = async () => undefined) => {
    const end = new AbortController();
    let held = new Set<string>();
    let loads = 0;
    const ports = { redis, clock: systemClock, logger: silentLogger };
    const following = followChanges(
      ports,
      {
        load: async () => {
          const members = await redis.smembers(STORED);
          await whileLoading();
          held = new Set(members);
          loads += 1;
        },
        apply: {
          watch: async (text) => {
            if (text === 'unreadable') throw new Error('no JSON');
            held.add(text);
          },
        },
      },
      end.signal,
    );
    return {
      following,
      loads: () => loads,
      held: () => [...held].toSorted(),
      end: () => end.abort(),
    };
  };

  it('are loaded, and followed from then on, one that cannot be read left out', async () => {
    await save('a');
    const follower = follow();
    assert.equal((await follower.following).isCurrent(), true);
    for (const text of ['b', 'unreadable', 'c']) await save(text);
    await untilChangesFollowed(redis, 1);
    assert.deepEqual(follower.held(), ['a', 'b', 'c']);
    assert.equal(follower.loads(), 1);
    follower.end();
  });

  it('stored by now can be waited for', async () => {
    const follower = follow();
    const following = await follower.following;
    for (let n = 0; n < 20; n += 1) {
      await save(`${n}`);
      await following.caughtUp();
      assert.ok(follower.held().includes(`${n}`));
    }
    follower.end();
  });

  it('made while everything is loaded are applied after it', async () => {
    await save('a');
    const follower = follow(() => save('b'));
    await follower.following;
    await untilChangesFollowed(redis, 1);
    assert.deepEqual(follower.held(), ['a', 'b']);
    follower.end();
  });

  it('that were trimmed before they were read make it load everything again', async () => {
    await save('a');
    let isFirst = true;
    const follower = follow(async () => {
      if (!isFirst) return;
      isFirst = false;
      for (const text of ['b', 'c', 'd']) await save(text);
      await redis.xtrim('changes', 'MAXLEN', 1);
    });
    await follower.following;
    await until('loaded again', async () => follower.loads() === 2 || undefined, WAIT_MS_MAX);
    await untilChangesFollowed(redis, 1);
    assert.deepEqual(follower.held(), ['a', 'b', 'c', 'd']);
    follower.end();
  });

  it('of a server that was emptied and filled again make it load everything', async () => {
    for (const text of ['a', 'b']) await save(text);
    const follower = follow();
    await follower.following;
    await redis.multi().flushall().sadd(STORED, 'z').exec();
    await until('loaded again', async () => follower.loads() === 2 || undefined, WAIT_MS_MAX);
    assert.deepEqual(follower.held(), ['z']);
    follower.end();
  });

  it('stay in memory while Redis is away, and what was stored is there after it', async () => {
    await save('a');
    const follower = follow();
    const following = await follower.following;
    await server.kill();
    await until('away', async () => !following.isCurrent() || undefined, WAIT_MS_MAX);
    assert.deepEqual(follower.held(), ['a']);
    await server.restart();
    await until('back', async () => (await redis.ping().catch(() => '')) || undefined, WAIT_MS_MAX);
    await save('b');
    await until('current', async () => following.isCurrent() || undefined, WAIT_MS_MAX);
    await untilChangesFollowed(redis, 1);
    assert.deepEqual(follower.held(), ['a', 'b']);
    follower.end();
  });

  it('are waited for while Redis is away at the start', async () => {
    await save('a');
    await server.kill();
    const follower = follow();
    const first = await Promise.race([follower.following, systemClock.sleep(50)]);
    assert.equal(first, undefined);
    await server.restart();
    assert.equal((await follower.following).isCurrent(), true);
    assert.deepEqual(follower.held(), ['a']);
    follower.end();
  });
});
