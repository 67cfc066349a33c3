import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { z } from 'zod';
import type { Hex } from '../chain/block.ts';
import { sampleAlert, sampleScore } from '../testing/samples.ts';
import { type AlertMessage, alertMessageSchema } from './alertMessage.ts';
import {
  CLUSTER_MESSAGE_WALLETS_MAX,
  type ClusterMessage,
  clusterMessageSchema,
} from './clusterMessage.ts';
import {
  type AnalyzeJob,
  analyzeJobSchema,
  jobInFlightKey,
  jobKey,
  jobRecordSchema,
} from './jobMessage.ts';
import { addressSchema, countSchema, hashSchema } from './schemas.ts';
import { scoreMessageSchema } from './scoreMessage.ts';
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
import { type VerdictDoc, verdictDocSchema } from './verdictDoc.ts';
import { type WatchChanged, watchChangedSchema } from './watchMessage.ts';

const ADDRESS = `0x${'ab'.repeat(20)}` as const;
const HASH = `0x${'cd'.repeat(32)}` as const;

const job: AnalyzeJob = {
  v: 1,
  jobId: 'job_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  chainId: 1,
  token: ADDRESS,
  deadlineMs: 1_700_000_000_000,
};
const score = sampleScore({ riskScore: 97.5 });
const watch: WatchChanged = {
  v: 1,
  change: 'added',
  item: {
    family: 'fam',
    id: 1,
    type: 'token',
    address: ADDRESS,
    alerts: ['rug_pull'],
    sensitivity: 'high',
    createdAtMs: 1_700_000_000_000,
  },
};
const alert: AlertMessage = {
  v: 1,
  eventId: 'msg_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  state: 'raised',
  alert: sampleAlert({
    details: { liquidity_change: -0.99, creator: ADDRESS, sold: true, note: null },
  }),
};
const cluster: ClusterMessage = {
  v: 1,
  chainId: 1,
  clusterId: 'cl_7f3a',
  name: 'Ring 7f3a',
  change: 'created',
  otherClusterId: null,
  size: 2,
  riskScore: 93,
  joined: [ADDRESS],
  joinedCount: 2,
  left: [],
  leftCount: 0,
  trigger: { kind: 'block', txHash: HASH, logIndex: 3 },
  blockNumber: 7,
  blockHash: HASH,
  timestampS: 1_700_000_000,
};
const doc: VerdictDoc = {
  v: 1,
  features: {
    holder_count: 1,
    transaction_count: 2,
    liquidity_usd: 3,
    top_10_concentration: 0.5,
    creator_risk_score: 50,
    another: 9,
  },
  shap_values: { holder_count: -0.25 },
  base_value: 0.5,
  margin: 0.25,
  probability: 0.56,
  creator: { address: ADDRESS, risk_score: 50, tokens_created: 1, scam_rate: 0 },
  checks: [{ id: 'sell', status: 'unknown', severity: 'critical', reason: 'not tried' }],
  provenance: {
    chain_id: 1,
    block_number: 7,
    block_hash: HASH,
    bytecode_hash: HASH,
    model: 'm',
    model_sha256: 's',
    features_sha256: 'f',
    coverage: 0.5,
  },
};

const kinds: [string, z.ZodTypeAny, { v: 1 }][] = [
  ['a job', analyzeJobSchema, job],
  ['a score', scoreMessageSchema, score],
  ['a change of a watchlist', watchChangedSchema, watch],
  ['a change of a ring', clusterMessageSchema, cluster],
  ['an alert', alertMessageSchema, alert],
  ['a verdict', verdictDocSchema, doc],
];

describe('messages', () => {
  for (const [name, schema, message] of kinds) {
    it(`carry ${name} unchanged`, () => {
      assert.deepEqual(schema.parse(JSON.parse(JSON.stringify(message))), message);
    });

    it(`refuse ${name} that misses any field`, () => {
      for (const field of Object.keys(message)) {
        const rest = Object.fromEntries(Object.entries(message).filter(([key]) => key !== field));
        assert.ok(!schema.safeParse(rest).success, field);
      }
    });
  }

  it('refuse a job id that is none', () => {
    for (const jobId of ['', 'job_', 'job_01ARZ3NDEKTSV4RRFFQ69G5FA', 'x:*', `${job.jobId}\n`]) {
      assert.ok(!analyzeJobSchema.safeParse({ ...job, jobId }).success, jobId);
    }
  });

  it('refuse more wallets of a ring than a message may list', () => {
    const list = (count: number) => Array.from({ length: count }, () => ADDRESS);
    const isFine = (joined: Hex[]) =>
      clusterMessageSchema.safeParse({ ...cluster, joined }).success;
    assert.ok(isFine(list(CLUSTER_MESSAGE_WALLETS_MAX)));
    assert.ok(!isFine(list(CLUSTER_MESSAGE_WALLETS_MAX + 1)));
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
