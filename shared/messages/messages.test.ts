import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AnalyzeJob,
  analyzeJobSchema,
  jobInFlightKey,
  jobKey,
  jobRecordSchema,
} from './jobMessage.ts';
import { addressSchema, countSchema, hashSchema } from './schemas.ts';
import {
  alertSubject,
  analyzeSubject,
  chainStream,
  chainSubject,
  clusterSubject,
  DEAD_LETTER_SUBJECTS,
  EVENTS_SUBJECTS,
  JOBS_SUBJECTS,
  scoreSubject,
} from './subjects.ts';

const ADDRESS = `0x${'ab'.repeat(20)}` as const;
const HASH = `0x${'cd'.repeat(32)}` as const;

const job: AnalyzeJob = {
  v: 1,
  jobId: 'job_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  chainId: 1,
  token: ADDRESS,
  deadlineMs: 1_700_000_000_000,
};

// `golden.test.ts` tests the fields of each message, and which are required.

describe('messages', () => {
  it('refuse a job id that is none', () => {
    for (const jobId of ['', 'job_', 'job_01ARZ3NDEKTSV4RRFFQ69G5FA', 'x:*', `${job.jobId}\n`]) {
      assert.ok(!analyzeJobSchema.safeParse({ ...job, jobId }).success, jobId);
    }
  });

  it('keep a job under keys of its own', () => {
    assert.equal(jobKey(job.jobId), `job:${job.jobId}`);
    assert.equal(jobInFlightKey(1, ADDRESS), `job-in-flight:1:${ADDRESS}`);
    const { jobId, chainId, token } = job;
    const record = { jobId, chainId, token, family: 'f', status: 'analyzing', createdAtMs: 1 };
    assert.deepEqual(jobRecordSchema.parse(record), record);
    assert.ok(!jobRecordSchema.safeParse({ ...record, status: 'lost' }).success);
  });
});

describe('parts of messages', () => {
  it('are lower-case addresses and hashes of the right length', () => {
    assert.ok(addressSchema.safeParse(ADDRESS).success);
    assert.ok(hashSchema.safeParse(HASH).success);
    for (const wrong of [
      ADDRESS.toUpperCase(),
      `${ADDRESS}0`,
      ADDRESS.slice(2),
      HASH,
      '',
      null,
      7,
    ]) {
      assert.ok(!addressSchema.safeParse(wrong).success, String(wrong));
    }
    for (const wrong of [HASH.toUpperCase(), `${HASH}0`, ADDRESS, undefined]) {
      assert.ok(!hashSchema.safeParse(wrong).success, String(wrong));
    }
  });

  it('are counts that JSON carries exactly', () => {
    assert.deepEqual(
      [0, Number.MAX_SAFE_INTEGER, -1, 0.5, 2 ** 53, Number.NaN, '1'].map(
        (value) => countSchema.safeParse(value).success,
      ),
      [true, true, false, false, false, false, false],
    );
  });
});

describe('subjects', () => {
  it('are those their streams take', () => {
    assert.equal(chainStream(56), 'CHAIN_56');
    assert.equal(chainSubject(56), 'chain.56.event');
    const isTaken = (subjects: readonly string[], subject: string): boolean =>
      subjects.some((one) => subject.startsWith(one.replace('>', '')));
    for (const subject of [
      scoreSubject(1, ADDRESS),
      clusterSubject(1, 'cl_7f3a'),
      alertSubject('fam'),
    ]) {
      assert.ok(isTaken(EVENTS_SUBJECTS, subject), subject);
    }
    assert.ok(isTaken(JOBS_SUBJECTS, analyzeSubject(1)));
    assert.ok(!isTaken(DEAD_LETTER_SUBJECTS, analyzeSubject(1)));
  });
});
