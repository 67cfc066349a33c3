import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Caller } from '../../accounts/admission.ts';
import { ApiError } from '../apiError.ts';
import { CONCURRENCY_LIMITS, type ConcurrencyLimit, createConcurrency } from './concurrency.ts';

const callerOf = (family: string): Caller => ({ keyId: `key_${family}`, family, tier: 'pro' });
const hasStatus = (status: number) => (error: unknown) =>
  error instanceof ApiError &&
  error.options.status === status &&
  error.options.headers?.['Retry-After'] !== undefined;

describe('concurrency of requests', () => {
  const setup = () => {
    const refused: ConcurrencyLimit[] = [];
    const concurrency = createConcurrency(
      { ...CONCURRENCY_LIMITS, apiMax: 4, dashboardMax: 1, familyMax: 2, familyHeavyMax: 1 },
      (limit) => refused.push(limit),
    );
    const ends: (() => void)[] = [];
    const hold = () => new Promise<string>((resolve) => ends.push(() => resolve('done')));
    const api = (family: string, isHeavy = false) =>
      concurrency.runApi(callerOf(family), isHeavy, hold);
    return { concurrency, refused, ends, api, dashboard: () => concurrency.runDashboard(hold) };
  };
  const endAll = (ends: (() => void)[]): void => {
    for (const end of ends.splice(0)) end();
  };

  it('is bounded for a key family, costly requests apart, and others go on', async () => {
    const { refused, ends, api } = setup();
    const running = [api('a'), api('a'), api('a', true)];
    await assert.rejects(api('a'), hasStatus(429));
    await assert.rejects(api('a', true), hasStatus(429));
    running.push(api('b'));
    assert.deepEqual(refused, ['family', 'family_heavy']);
    endAll(ends);
    assert.deepEqual(await Promise.all(running), Array(4).fill('done'));
    const again = [api('a'), api('a')];
    endAll(ends);
    assert.deepEqual(await Promise.all(again), ['done', 'done']);
  });

  it('is bounded for the service, and a refusal keeps no permit of the family', async () => {
    const { refused, ends, api } = setup();
    const running = [api('a'), api('a'), api('b'), api('c')];
    for (let count = 0; count < 3; count += 1) await assert.rejects(api('d'), hasStatus(503));
    assert.deepEqual(refused, Array(3).fill('api'));
    endAll(ends);
    await Promise.all(running);
    const again = [api('d'), api('d')];
    endAll(ends);
    assert.deepEqual(await Promise.all(again), ['done', 'done']);
  });

  it('of the dashboard and of the API do not take from one another', async () => {
    const { refused, ends, api, dashboard } = setup();
    const running = [dashboard()];
    await assert.rejects(dashboard(), hasStatus(503));
    running.push(api('a'), api('a'), api('b'), api('b'));
    await assert.rejects(api('c'), hasStatus(503));
    assert.deepEqual(refused, ['dashboard', 'api']);
    endAll(ends);
    await Promise.all(running);
    const again = dashboard();
    endAll(ends);
    assert.equal(await again, 'done');
  });

  it('is given back by work that fails', async () => {
    const { concurrency, dashboard, ends } = setup();
    const fail = () => concurrency.runDashboard(() => Promise.reject(new Error('away')));
    for (let count = 0; count < 3; count += 1) await assert.rejects(fail(), /away/);
    const next = dashboard();
    endAll(ends);
    assert.equal(await next, 'done');
  });
});

describe('expensive requests', () => {
  /** Work that ends when `ends` is called. */
  const setup = () => {
    const refused: ConcurrencyLimit[] = [];
    const limits = {
      ...CONCURRENCY_LIMITS,
      heavyRunningMax: 2,
      sharingRunningMax: 3,
      heavyWaitingMax: 3,
    };
    const concurrency = createConcurrency(limits, (limit) => refused.push(limit));
    const ends: (() => void)[] = [];
    const ask = (isWanted = () => true, sharesQueries = false) =>
      concurrency.runHeavy(
        () => new Promise<string>((resolve) => ends.push(() => resolve('done'))),
        isWanted,
        sharesQueries,
      );
    return { concurrency, ends, ask, refused };
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('lets some run, some wait and refuses the others at once', async () => {
    const { ends, ask, refused } = setup();
    const asked = Array.from({ length: 5 }, () => ask());
    await turn();
    assert.equal(ends.length, 2);
    await assert.rejects(ask(), hasStatus(503));
    assert.deepEqual(refused, ['heavy']);
    for (let ended = 0; ended < asked.length; ended += 1) {
      ends[ended]?.();
      await turn();
    }
    assert.deepEqual(await Promise.all(asked), Array(5).fill('done'));
  });

  it('lets those that share their queries run beside the others, as many as they may be', async () => {
    const { ends, ask, refused } = setup();
    const alone = Array.from({ length: 5 }, () => ask());
    const sharing = Array.from({ length: 6 }, () => ask(undefined, true));
    await turn();
    assert.equal(ends.length, 2 + 3);
    await assert.rejects(ask(), hasStatus(503));
    await assert.rejects(ask(undefined, true), hasStatus(503));
    assert.deepEqual(refused, ['heavy', 'heavy']);
    for (let ended = 0; ended < 11; ended += 1) {
      ends[ended]?.();
      await turn();
    }
    assert.deepEqual(await Promise.all([...alone, ...sharing]), Array(11).fill('done'));
  });

  it('takes on more after failures', async () => {
    const { concurrency, ends, ask } = setup();
    const fail = () =>
      concurrency.runHeavy(
        () => Promise.reject(new Error('away')),
        () => true,
      );
    await Promise.all([1, 2, 3].map(() => assert.rejects(fail(), /away/)));
    const asked = ask();
    await turn();
    ends[0]?.();
    assert.equal(await asked, 'done');
  });

  it('begins nothing whose client has gone', async () => {
    const { ends, ask } = setup();
    const first = [ask(), ask()];
    let isWanted = true;
    const left = ask(() => isWanted);
    await turn();
    isWanted = false;
    for (const end of ends.splice(0)) end();
    await Promise.all(first);
    await assert.rejects(left, hasStatus(503));
    assert.equal(ends.length, 0);
  });
});
