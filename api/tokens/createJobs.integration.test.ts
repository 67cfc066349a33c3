import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import {
  type AnalyzeJob,
  analyzeJobSchema,
  JOB_DEADLINE_MS,
  JOB_KEPT_S,
  jobInFlightKey,
  jobKey,
} from '../../shared/messages/jobMessage.ts';
import { RetryableError } from '../../shared/platform/errors.ts';
import { startCache } from '../../shared/testing/stores.ts';
import { addressOf } from '../testing/fakePorts.ts';
import { createJobs, FORCE_COOLDOWN_MS, VERDICT_FRESH_MS } from './jobs.ts';

const { redis, stop } = await startCache();
after(stop);

describe('jobs on Redis', () => {
  let byte = 0;
  const setup = () => {
    const published: AnalyzeJob[] = [];
    const clock = { nowMs: Date.parse('2026-11-21T05:30:00Z') };
    const stream = { isDown: false };
    const jobs = createJobs({
      redis,
      chainId: 1,
      now: () => clock.nowMs,
      publish: async (job) => {
        if (stream.isDown) throw new RetryableError('JetStream: timeout');
        published.push(analyzeJobSchema.parse(job));
      },
    });
    byte += 1;
    const request = { family: 'fam_a', token: addressOf(byte), force: false };
    /** The scorer's final step. */
    const finish = async (jobId: string): Promise<void> => {
      const record = JSON.parse((await redis.get(jobKey(jobId))) ?? '{}');
      const ended = { ...record, status: 'completed', endedAtMs: clock.nowMs };
      await redis.set(jobKey(jobId), JSON.stringify(ended), 'EX', JOB_KEPT_S);
    };
    return { jobs, published, clock, stream, request, finish };
  };

  it('publishes one job for any number of requests at once, readable by every family that asked', async () => {
    const { jobs, published, request } = setup();
    const families = Array.from({ length: 20 }, (_, index) => `fam_${index}`);
    const started = await Promise.all(
      families.map((family) => jobs.start({ ...request, family, force: family === 'fam_3' })),
    );
    assert.equal(published.length, 1);
    assert.equal(started.filter(({ isNew }) => isNew).length, 1);
    const ids = new Set(started.map(({ record }) => record.jobId));
    assert.deepEqual([...ids], [published[0]?.jobId]);
    for (const family of families) {
      assert.equal((await jobs.find(family, published[0]?.jobId ?? ''))?.status, 'analyzing');
    }
    assert.equal(await jobs.find('fam_stranger', published[0]?.jobId ?? ''), undefined);
    assert.equal(await jobs.find('fam_1', 'job_01JD6Q4M3Z9K7W2X5T8V1N0P4R'), undefined);
  });

  it('serves a fresh verdict without work, and works on an old one', async () => {
    const { jobs, published, clock, request } = setup();
    const analyzedAtMs = clock.nowMs - VERDICT_FRESH_MS + 1;
    const fresh = await jobs.start({ ...request, analyzedAtMs });
    assert.deepEqual([fresh.isNew, fresh.record.status], [false, 'completed']);
    assert.equal((await jobs.find('fam_a', fresh.record.jobId))?.status, 'completed');
    assert.equal(published.length, 0);
    clock.nowMs += 1;
    assert.equal((await jobs.start({ ...request, analyzedAtMs })).isNew, true);
    assert.equal(published[0]?.deadlineMs, clock.nowMs + JOB_DEADLINE_MS);
  });

  it('forces one analysis in five minutes for each family', async () => {
    const { jobs, clock, request, finish, published } = setup();
    const forced = { ...request, force: true, analyzedAtMs: clock.nowMs };
    const first = await jobs.start(forced);
    assert.equal(first.isNew, true);
    await finish(first.record.jobId);
    const again = await jobs.start(forced);
    assert.deepEqual([again.isNew, again.record.jobId], [false, first.record.jobId]);
    assert.equal(again.record.status, 'completed');
    assert.equal((await jobs.start({ ...forced, family: 'fam_b' })).isNew, true);
    assert.equal(published.length, 2);
    const forcedKey = `job-forced:fam_a:1:${request.token}`;
    const leftMs = await redis.pttl(forcedKey);
    assert.ok(leftMs > FORCE_COOLDOWN_MS - 60_000 && leftMs <= FORCE_COOLDOWN_MS);
  });

  it('starts again after a job has ended, although its mark may still be there', async () => {
    const { jobs, request, finish } = setup();
    const first = await jobs.start(request);
    await finish(first.record.jobId);
    assert.equal(await redis.get(jobInFlightKey(1, request.token)), first.record.jobId);
    const second = await jobs.start(request);
    assert.equal(second.isNew, true);
    assert.notEqual(second.record.jobId, first.record.jobId);
  });

  it('ends a job past its deadline as failed, for good', async () => {
    const { jobs, clock, request } = setup();
    const { record } = await jobs.start(request);
    clock.nowMs += JOB_DEADLINE_MS - 1;
    assert.equal((await jobs.find('fam_a', record.jobId))?.status, 'analyzing');
    clock.nowMs += 1;
    const failed = await jobs.find('fam_a', record.jobId);
    assert.deepEqual([failed?.status, failed?.error], ['failed', 'timeout']);
    assert.deepEqual(await jobs.find('fam_a', record.jobId), failed);
    assert.equal((await jobs.start(request)).isNew, true);
  });

  it('keeps the end the scorer wrote, also after the deadline', async () => {
    const { jobs, clock, request, finish } = setup();
    const { record } = await jobs.start(request);
    await finish(record.jobId);
    clock.nowMs += JOB_DEADLINE_MS * 2;
    assert.equal((await jobs.find('fam_a', record.jobId))?.status, 'completed');
  });

  it('leaves nothing behind when the stream is away', async () => {
    const { jobs, stream, request } = setup();
    stream.isDown = true;
    await assert.rejects(jobs.start({ ...request, force: true }), RetryableError);
    assert.equal(await redis.exists(jobInFlightKey(1, request.token)), 0);
    assert.equal(await redis.exists(`job-forced:fam_a:1:${request.token}`), 0);
    stream.isDown = false;
    assert.equal((await jobs.start({ ...request, force: true })).isNew, true);
  });
});
