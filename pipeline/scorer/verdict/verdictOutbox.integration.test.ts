import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { NatsConnection } from 'nats';
import type { Hex } from '../../../shared/chain/block.ts';
import { scoreSubject } from '../../../shared/messages/subjects.ts';
import { verdictDocSchema } from '../../../shared/messages/verdictDoc.ts';
import { type Clickhouse, createClickhouse } from '../../../shared/platform/clickhouse.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { createEventLog } from '../../../shared/platform/eventLog.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { connectNats, ensureStreams } from '../../../shared/platform/nats.ts';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { createPublish, type Publish } from '../../../shared/platform/publish.ts';
import { startMigratedClickhouse } from '../../../shared/testing/migratedClickhouse.ts';
import { type Service, startNats } from '../../../shared/testing/services.ts';
import type { ScoringRequest } from './readSubjects.ts';
import { type ScoredBatch, storeBatch } from './tokenScorer.ts';
import {
  createVerdictOutbox,
  PUBLISH_AGE_MS_MAX,
  type PublishOutcome,
  scoreMessageId,
} from './verdictOutbox.ts';
import { createVerdictStore, type VerdictStore } from './verdictStore.ts';

const CHAIN_ID = 7;
const tokenOf = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;
const [A, B, C] = [tokenOf(1), tokenOf(2), tokenOf(3)];
const BLOCK = { number: 5, timestampS: 1_700_000_000 };
const HASH: Hex = `0x${'5'.repeat(64)}`;
const GOLDEN = join(projectRoot(), 'shared/messages/golden/verdictDoc.v1.r1.json');
const SINCE_MS = 0;

class Killed extends Error {}

describe('verdicts that are stored and published, on real ClickHouse and NATS', () => {
  let servers: Service[] = [];
  let clickhouse: Clickhouse;
  let connection: NatsConnection;
  let verdicts: VerdictStore;
  let publish: Publish;
  let position = 0;
  const startMs = Date.now();

  before(async () => {
    const [database, nats] = await Promise.all([startMigratedClickhouse(), startNats()]);
    servers = [database, nats];
    clickhouse = createClickhouse({ url: database.url });
    connection = await connectNats(nats.url, 'test');
    await ensureStreams(connection, [CHAIN_ID]);
    verdicts = createVerdictStore(clickhouse);
    publish = createPublish(connection);
  });
  after(async () => {
    await connection?.close();
    await clickhouse?.close();
    await Promise.all(servers.map((server) => server.stop()));
  });

  const doc = verdictDocSchema.parse(JSON.parse(readFileSync(GOLDEN, 'utf8')).messages[0]);
  /** Every token's prediction reverses whenever it is scored. */
  const scoreBatch = async (requests: readonly ScoringRequest[]): Promise<ScoredBatch> => {
    const last = await verdicts.last(
      CHAIN_ID,
      requests.map(({ token }) => token),
    );
    const made = requests.map((request) => {
      const { token } = request;
      const before = last.get(token);
      const prediction = before?.prediction === 'SCAM' ? ('LEGIT' as const) : ('SCAM' as const);
      const common = {
        chainId: CHAIN_ID,
        token,
        name: 'Token',
        symbol: 'TKN',
        analyzedAtMs: startMs + position,
      };
      const scored = { prediction, confidence: 0.9, riskScore: 70 };
      return { common, before, scored, position: request.position };
    });
    return {
      last,
      verdicts: made.map(({ common, scored, ...rest }) => ({
        ...common,
        creator: C,
        createdAtS: BLOCK.timestampS,
        position: rest.position,
        horizonS: 0,
        asOfS: BLOCK.timestampS,
        isInForce: true,
        verdict: { ...scored, probability: 0, margin: 0, baseValue: 0, contributions: {}, doc },
        holders: [],
      })),
      messages: made.map(({ common, before, scored }) => ({
        v: 1,
        ...common,
        blockNumber: BLOCK.number,
        blockHash: HASH,
        ...scored,
        previousPrediction: before?.prediction ?? null,
        previousConfidence: before?.confidence ?? null,
        previousRiskScore: before?.riskScore ?? null,
      })),
      codeLabels: [],
      deleted: [],
      transfers: new Map(),
      postponed: new Set(),
    };
  };

  /** A scorer that is killed after publishing this many verdicts, `laterMs` after now. */
  const start = (publishedMax = Infinity, isRecent = true, laterMs = 0) => {
    let isAway = false;
    let published = 0;
    let looks = 0;
    const counts: Partial<Record<PublishOutcome, number>> = {};
    const outbox = createVerdictOutbox({
      chainId: CHAIN_ID,
      verdicts: {
        unpublished: (chainId, sinceMs) => {
          looks += 1;
          return verdicts.unpublished(chainId, sinceMs);
        },
      },
      log: createEventLog({ connection, clock: systemClock, logger: silentLogger }),
      publish: async (...message) => {
        if (isAway) throw new RetryableError('away');
        if (published >= publishedMax) throw new Killed();
        published += 1;
        await publish(...message);
      },
      isRecent: () => isRecent,
      count: (outcome, made) => {
        counts[outcome] = (counts[outcome] ?? 0) + made;
      },
      clock: { now: () => Date.now() + laterMs },
      logger: silentLogger,
    });
    const contracts = {
      label: async () => undefined,
    };
    const ports = { chainId: CHAIN_ID, verdicts, contracts, outbox };
    return {
      flush: () => outbox.flush(),
      setAway: (away: boolean) => {
        isAway = away;
      },
      /** How often it looked for unpublished verdicts. */
      looks: () => looks,
      counts,
      score: (made: readonly ScoringRequest[]) => storeBatch(ports, () => scoreBatch(made)),
    };
  };
  const requests = (...tokens: Hex[]): ScoringRequest[] => {
    position += 1;
    return tokens.map((token) => ({ token, position }));
  };
  /** What subscribers received on a token, in order. */
  const received = async (token: Hex): Promise<string[]> => {
    const log = createEventLog({ connection, clock: systemClock, logger: silentLogger });
    const subjects = [scoreSubject(CHAIN_ID, token)];
    const lines: string[] = [];
    for await (const { data, messageId } of log.replay({
      subjects,
      fromMs: 0,
      upToSeq: Infinity,
    })) {
      const message = JSON.parse(Buffer.from(data).toString());
      assert.equal(messageId, scoreMessageId(message));
      lines.push(`${message.previousPrediction} to ${message.prediction}`);
    }
    return lines;
  };

  it('are published once, whenever their scorer was killed', async () => {
    for (let publishedMax = 0; publishedMax <= 2; publishedMax += 1) {
      const dying = start(publishedMax).score(requests(A, B));
      if (publishedMax < 2) await assert.rejects(dying, Killed);
      else await dying;
      await start().flush();
      await start().flush();
    }
    const turns = ['null to SCAM', 'SCAM to LEGIT', 'LEGIT to SCAM'];
    assert.deepEqual([await received(A), await received(B)], [turns, turns]);
  });

  it('are published before what comes after them', async () => {
    await assert.rejects(start(0).score(requests(C)), Killed);
    await start().score(requests(C));
    assert.deepEqual(await received(C), ['null to SCAM', 'SCAM to LEGIT']);
  });

  it('are published once, in order, by a scorer for which the stream was away', async () => {
    const token = tokenOf(8);
    const scorer = start();
    await scorer.flush();
    scorer.setAway(true);
    await assert.rejects(scorer.score(requests(token)), RetryableError);
    await assert.rejects(scorer.score(requests(token)), RetryableError);
    scorer.setAway(false);
    await scorer.score(requests(token));
    assert.deepEqual(await received(token), ['null to SCAM', 'SCAM to LEGIT']);
  });

  it('are not published when they have waited for too long', async () => {
    const token = tokenOf(6);
    await assert.rejects(start(0).score(requests(token)), Killed);
    await start(Infinity, true, PUBLISH_AGE_MS_MAX + 1_000).flush();
    assert.deepEqual(await received(token), []);
    const inTime = start();
    await inTime.flush();
    assert.deepEqual(await received(token), ['null to SCAM']);
    assert.deepEqual(inTime.counts, { published_late: 1 });
  });

  it('are looked for once, while nothing goes wrong', async () => {
    const scorer = start();
    for (let i = 0; i < 2; i += 1) await scorer.score(requests(tokenOf(7)));
    assert.deepEqual([scorer.looks(), scorer.counts], [1, { published: 2 }]);
  });

  it('are not published once they are past or their token is deleted', async () => {
    const [past, gone] = [tokenOf(4), tokenOf(5)];
    const catchingUp = start(0, false);
    await catchingUp.score(requests(past));
    assert.deepEqual(catchingUp.counts, { past: 1 });
    await assert.rejects(start(0).score(requests(gone)), Killed);
    position += 1;
    await verdicts.insertTombstones(CHAIN_ID, [gone], position);
    const stored = await verdicts.unpublished(CHAIN_ID, SINCE_MS);
    assert.deepEqual(stored.map(({ token }) => token).toSorted(), [
      A,
      B,
      C,
      tokenOf(6),
      tokenOf(7),
      tokenOf(8),
    ]);
    await start().flush();
    assert.deepEqual([await received(past), await received(gone)], [[], []]);
  });
});
