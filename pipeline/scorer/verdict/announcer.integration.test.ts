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
import { createEventLog } from '../../../shared/platform/eventLog.ts';
import { silentLogger } from '../../../shared/platform/logger.ts';
import { connectNats, ensureStreams } from '../../../shared/platform/nats.ts';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { createPublish } from '../../../shared/platform/publish.ts';
import { startMigratedClickhouse } from '../../../shared/testing/migratedClickhouse.ts';
import { type Service, startNats } from '../../../shared/testing/services.ts';
import { createAnnouncer } from './announcer.ts';
import { createEventPublisher, type EventPublisher, scoreMessageId } from './eventPublisher.ts';
import { createTokenScorer, type ScoringRequest, type TokenJudge } from './tokenScorer.ts';
import { createVerdictStore, type VerdictStore } from './verdictStore.ts';

const CHAIN_ID = 7;
const tokenOf = (number: number): Hex => `0x${number.toString(16).padStart(40, '0')}`;
const [A, B, C] = [tokenOf(1), tokenOf(2), tokenOf(3)];
const BLOCK = { number: 5, timestampS: 1_700_000_000 };
const HASH: Hex = `0x${'5'.repeat(64)}`;
const GOLDEN = join(projectRoot(), 'shared/messages/golden/verdictDoc.v1.r1.json');
const SINCE_MS = 0;

class Killed extends Error {}

describe('verdicts that are stored and told, on real ClickHouse and NATS', () => {
  let servers: Service[] = [];
  let clickhouse: Clickhouse;
  let connection: NatsConnection;
  let verdicts: VerdictStore;
  let events: EventPublisher;
  let position = 0;
  const startMs = Date.now();

  before(async () => {
    const [database, nats] = await Promise.all([startMigratedClickhouse(), startNats()]);
    servers = [database, nats];
    clickhouse = createClickhouse({ url: database.url });
    connection = await connectNats(nats.url, 'test');
    await ensureStreams(connection, [CHAIN_ID]);
    verdicts = createVerdictStore(clickhouse);
    const log = createEventLog({ connection, clock: systemClock, logger: silentLogger });
    events = createEventPublisher(createPublish(connection), log);
  });
  after(async () => {
    await connection?.close();
    await clickhouse?.close();
    await Promise.all(servers.map((server) => server.stop()));
  });

  const doc = verdictDocSchema.parse(JSON.parse(readFileSync(GOLDEN, 'utf8')).messages[0]);
  /** Every token turns whenever it is judged. */
  const judge: TokenJudge = async (chainId, requests) => {
    const previous = await verdicts.predictions(
      chainId,
      requests.map(({ token }) => token),
    );
    const made = requests.map((request) => {
      const { token } = request;
      const before = previous.get(token);
      const prediction = before?.prediction === 'SCAM' ? ('LEGIT' as const) : ('SCAM' as const);
      const common = {
        chainId,
        token,
        name: 'Token',
        symbol: 'TKN',
        analyzedAtMs: startMs + position,
      };
      const judged = { prediction, confidence: 0.9, riskScore: 70 };
      return { common, before, judged, position: request.position };
    });
    return {
      verdicts: made.map(({ common, judged, ...rest }) => ({
        ...common,
        creator: C,
        createdAtS: BLOCK.timestampS,
        position: rest.position,
        horizonS: 0,
        asOfS: BLOCK.timestampS,
        isInForce: true,
        verdict: { ...judged, probability: 0, margin: 0, baseValue: 0, contributions: {}, doc },
        holders: [],
      })),
      messages: made.map(({ common, before, judged }) => ({
        v: 1,
        ...common,
        blockNumber: BLOCK.number,
        blockHash: HASH,
        ...judged,
        previousPrediction: before?.prediction ?? null,
        previousConfidence: before?.confidence ?? null,
        previousRiskScore: before?.riskScore ?? null,
      })),
      judgements: [],
      gone: [],
      transfers: new Map(),
    };
  };

  /** A scorer that is killed when it has told this many verdicts. */
  const start = (toldMax = Infinity, isNews = true) => {
    let told = 0;
    const announcer = createAnnouncer({
      stored: (sinceMs) => verdicts.announcements(CHAIN_ID, sinceMs),
      toldSince: (sinceMs) => events.scoresSince(CHAIN_ID, sinceMs),
      publish: async (messages) => {
        for (const message of messages) {
          if (told >= toldMax) throw new Killed();
          told += 1;
          await events.scores([message]);
        }
      },
      isNews: () => isNews,
      count: () => undefined,
      clock: systemClock,
      logger: silentLogger,
    });
    const contracts = { study: async () => new Map(), judge: async () => undefined };
    return createTokenScorer({ verdicts, contracts, announcer }, judge);
  };
  const requests = (...tokens: Hex[]): ScoringRequest[] => {
    position += 1;
    return tokens.map((token) => ({ token, position }));
  };
  /** What subscribers got on a token, in order. */
  const heard = async (token: Hex): Promise<string[]> => {
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

  it('are told once, whenever their scorer died', async () => {
    for (let toldMax = 0; toldMax <= 2; toldMax += 1) {
      const dying = start(toldMax).score(CHAIN_ID, requests(A, B), BLOCK);
      if (toldMax < 2) await assert.rejects(dying, Killed);
      else await dying;
      await start().settle();
      await start().settle();
    }
    const turns = ['null to SCAM', 'SCAM to LEGIT', 'LEGIT to SCAM'];
    assert.deepEqual([await heard(A), await heard(B)], [turns, turns]);
  });

  it('are told before what comes after them', async () => {
    await assert.rejects(start(0).score(CHAIN_ID, requests(C), BLOCK), Killed);
    await start().score(CHAIN_ID, requests(C), BLOCK);
    assert.deepEqual(await heard(C), ['null to SCAM', 'SCAM to LEGIT']);
  });

  it('are told by nobody once they are of the past or gone', async () => {
    const [past, gone] = [tokenOf(4), tokenOf(5)];
    await start(0, false).score(CHAIN_ID, requests(past), BLOCK);
    await assert.rejects(start(0).score(CHAIN_ID, requests(gone), BLOCK), Killed);
    position += 1;
    await verdicts.bury(CHAIN_ID, [gone], position);
    const stored = await verdicts.announcements(CHAIN_ID, SINCE_MS);
    assert.deepEqual(stored.map(({ token }) => token).toSorted(), [A, B, C]);
    await start().settle();
    assert.deepEqual([await heard(past), await heard(gone)], [[], []]);
  });
});
