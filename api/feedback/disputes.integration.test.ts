import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, describe, it } from 'node:test';
import { analyzeSubject } from '../../shared/messages/subjects.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { connectRedis } from '../../shared/platform/redis.ts';
import { programArgs } from '../../shared/testing/pipelineProcess.ts';
import { startCache, startStreams } from '../../shared/testing/stores.ts';
import { addressOf } from '../testing/fakePorts.ts';
import { createFeedbackStore } from './feedbackStore.ts';

const CHAIN_ID = 31_337;
const PROGRAM_TIMEOUT_MS = 60_000;
const NOW_MS = Date.UTC(2026, 10, 24);

const [cache, streams] = await Promise.all([startCache(), startStreams([CHAIN_ID])]);
const { redis } = cache;
const { connection: nats } = streams;
after(() => Promise.all([cache.stop(), streams.stop()]));

describe('disputes of verdicts', () => {
  let families = 0;

  const setup = () => {
    families += 1;
    const family = `fam_${families}`;
    let nowMs = NOW_MS;
    const store = createFeedbackStore({
      redis,
      chainId: CHAIN_ID,
      clock: { now: () => (nowMs += 1) },
    });
    const given = {
      family,
      address: addressOf(families),
      kind: 'false_negative',
      details: `Sells work; "quotes" and \\ and Ünïcode`,
      contact: 'a@example.org',
    } as const;
    return { store, family, given };
  };

  /** Output of the operators' program, and whether it succeeds. */
  const run = (command: string, variables: Record<string, string> = {}) =>
    new Promise<{ code: number; out: string; error: string }>((resolve) => {
      const args = [...programArgs('api/feedback/disputes.ts'), command];
      const env = {
        ...process.env,
        REDIS_URL: cache.server.url,
        NATS_URL: streams.server.url,
        CHAIN_ID: String(CHAIN_ID),
        ...variables,
      };
      const options = { cwd: projectRoot(), env, timeout: PROGRAM_TIMEOUT_MS };
      execFile(process.execPath, args, options, (failure, out, error) =>
        resolve({ code: failure ? Number(failure.code) : 0, out, error }),
      );
    });

  it('are found and listed by their own family, newest first', async () => {
    const { store, family, given } = setup();
    const first = await store.add(given);
    const second = await store.add({ ...given, details: 'the second one' });
    assert.ok(first && second);
    assert.equal(first.status, 'open');
    assert.deepEqual(await store.find(family, first.id), first);
    assert.equal(await store.find('another', first.id), undefined);
    assert.deepEqual(await store.list(family), [second, first]);
  });

  it('are a thousand of a family at most', async () => {
    const { store, family, given } = setup();
    const items = await Promise.all(Array.from({ length: 1_005 }, () => store.add(given)));
    assert.equal(items.filter((item) => item === undefined).length, 5);
    assert.equal((await store.list(family)).length, 1_000);
    await redis.del(`feedback:${family}`);
  });

  it('are answered once, however many answer together', async () => {
    const { store, family, given } = setup();
    const item = await store.add(given);
    assert.ok(item);
    const answers = await Promise.all(
      (['accepted', 'rejected', 'accepted'] as const).map((status) =>
        store.resolve(item.id, { status, resolution: `it is ${status}` }),
      ),
    );
    const taken = answers.filter((answer) => answer !== undefined);
    assert.equal(taken.length, 1);
    const { family: _own, ...stored } = { ...taken[0] };
    assert.deepEqual(await store.find(family, item.id), stored);
    assert.equal(stored.resolution, `it is ${stored.status}`);
    assert.equal(
      await store.resolve('fb_none', { status: 'accepted', resolution: 'x' }),
      undefined,
    );
  });

  it('are listed for operators, without what moves a cursor, and answered by them', async () => {
    const { store, family, given } = setup();
    const item = await store.add({ ...given, details: 'look\u001b[2J\nhere, it sells' });
    assert.ok(item);
    const listed = await run('list');
    assert.equal(listed.code, 0, listed.error);
    assert.ok(listed.out.includes(item.id) && listed.out.includes('a@example.org'));
    assert.ok(listed.out.includes('look [2J here, it sells'));

    const messages = nats.subscribe(analyzeSubject(CHAIN_ID), { max: 1 });
    const answered = await run('answer', {
      ID: item.id,
      STATUS: 'accepted',
      ANSWER: ' It has a tax now. ',
    });
    assert.equal(answered.code, 0, answered.error);
    const stored = await store.find(family, item.id);
    assert.deepEqual([stored?.status, stored?.resolution], ['accepted', 'It has a tax now.']);
    for await (const message of messages) {
      assert.equal(message.json<{ token: string }>().token, given.address);
    }

    assert.ok(!(await run('list')).out.includes(item.id));
    assert.ok((await run('list', { ALL: '1' })).out.includes('answer: It has a tax now.'));
    const again = await run('answer', { ID: item.id, STATUS: 'rejected', ANSWER: 'no' });
    assert.equal(again.code, 1);
    assert.match(again.error, /no open dispute has the id fb_/);
  });

  it('are answered only with an id, a state and words', async () => {
    const wrong = await run('answer', { ID: 'fb_x', STATUS: 'perhaps', ANSWER: ' ' });
    assert.equal(wrong.code, 1);
    assert.match(wrong.error, /STATUS: must be one of accepted, rejected/);
    assert.match(wrong.error, /ANSWER: must say something/);
    assert.match((await run('answer')).error, /ID: must be set/);
    assert.match((await run('erase')).error, /^usage: /);
  });

  it('fail as something to retry while Redis is away', async () => {
    const { given } = setup();
    const away = connectRedis('redis://127.0.0.1:1');
    away.on('error', () => undefined);
    const store = createFeedbackStore({ redis: away, chainId: 1, clock: { now: () => NOW_MS } });
    await assert.rejects(store.add(given), RetryableError);
    await assert.rejects(store.all(), RetryableError);
    away.disconnect();
  });
});
