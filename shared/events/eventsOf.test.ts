import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScoreMessage } from '../messages/scoreMessage.ts';
import { alertSubject, analysisSubject, scoreSubject } from '../messages/subjects.ts';
import { PoisonMessageError } from '../platform/errors.ts';
import { sampleAlert, sampleScore } from '../testing/samples.ts';
import { eventsOf } from './eventsOf.ts';
import { eventId, isWanted, type PushEvent, timeOfEventId } from './pushEvent.ts';

const TOKEN = `0x${'ab'.repeat(20)}` as const;
const AT_MS = 1_763_700_000_123;

const score = (changes: Partial<ScoreMessage> = {}): ScoreMessage =>
  sampleScore({ analyzedAtMs: AT_MS, ...changes });
const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const ofScore = (changes: Partial<ScoreMessage> = {}, messageId = 'score:1'): PushEvent[] =>
  eventsOf({ subject: scoreSubject(1, TOKEN), data: bytes(score(changes)), messageId });

const alert = sampleAlert({ family: 'fam_1', createdAtMs: AT_MS });
const ofAlert = (state: 'raised' | 'withdrawn'): PushEvent[] =>
  eventsOf({
    subject: alertSubject('fam_1'),
    data: bytes({ v: 1, eventId: eventId(`9001:${state}`, AT_MS), state, alert }),
    messageId: `alert:fam_1:9001:${state}:0`,
  });

describe('eventsOf', () => {
  it('makes the same event of the same message, named by it and its moment', () => {
    const [first] = ofAlert('raised');
    assert.deepEqual(ofAlert('raised'), [first]);
    assert.equal(timeOfEventId(first?.id ?? ''), AT_MS);
    assert.notEqual(ofAlert('withdrawn')[0]?.id, first?.id);
    const ids = ofScore({ previousPrediction: 'LEGIT' }).map(({ id }) => id);
    assert.equal(new Set(ids).size, 3);
  });

  it('reports an alert with the fields of the sample receiver at the top', () => {
    const [event] = ofAlert('raised');
    const body = JSON.parse(event?.body ?? '') as Record<string, unknown>;
    assert.deepEqual(
      [body['type'], body['alert_type'], body['severity'], body['token'], body['id']],
      ['watchlist.alert', 'rug_pull', 'critical', alert.token, event?.id],
    );
    const data = body['data'] as Record<string, unknown>;
    assert.deepEqual([data['id'], data['recommendation']], [9001, 'SELL_IMMEDIATELY']);
    assert.deepEqual([event?.family, event?.address], ['fam_1', TOKEN]);
  });

  it('reports a withdrawal as something else than an alert', () => {
    const body = JSON.parse(ofAlert('withdrawn')[0]?.body ?? '') as Record<string, any>;
    assert.deepEqual(
      [body['alert_type'], body['severity'], body['data'].id, body['data'].withdrawn],
      ['alert_withdrawn', 'info', 9001, true],
    );
  });

  it('reports a withdrawal to all who received the alert, whatever severities they want', () => {
    const [raised, withdrawn] = [...ofAlert('raised'), ...ofAlert('withdrawn')];
    assert.ok(raised && withdrawn);
    for (const min_severity of ['info', 'warning', 'critical'] as const) {
      assert.deepEqual(
        [isWanted(raised, { min_severity }), isWanted(withdrawn, { min_severity })],
        [true, true],
      );
    }
  });

  it('reports a scam once, and of a verdict only when it has changed', () => {
    const types = (changes: Partial<ScoreMessage>) => ofScore(changes).map(({ type }) => type);
    const same = { previousPrediction: 'SCAM', previousConfidence: 0.97 } as const;
    const sure = 'prediction.high_confidence';
    assert.deepEqual(types({}), ['token.scam_detected', sure]);
    assert.deepEqual(types({ ...same, previousRiskScore: 96 }), [sure]);
    assert.deepEqual(types({ ...same, previousRiskScore: 60 }), [sure, 'verdict.changed']);
    assert.deepEqual(types({ prediction: 'LEGIT', riskScore: 3, previousPrediction: 'SCAM' }), [
      sure,
      'verdict.changed',
    ]);
    assert.equal(ofScore({ confidence: 0.6 })[0]?.severity, 'warning');
  });

  it('reports to a family that its analysis has ended', () => {
    const job = { jobId: 'job_1', family: 'fam_1', chainId: 1, token: TOKEN, createdAtMs: AT_MS };
    const message = { v: 1, job: { ...job, status: 'failed', error: 'timeout', endedAtMs: AT_MS } };
    const [event] = eventsOf({
      subject: analysisSubject('fam_1'),
      data: bytes(message),
      messageId: 'analysis:job_1',
    });
    assert.deepEqual(
      [event?.type, event?.family, event?.jobId],
      ['analysis.failed', 'fam_1', 'job_1'],
    );
  });

  it('names the token of an ended analysis as it calls itself, and by its address where it does not', () => {
    const job = { jobId: 'job_1', family: 'fam_1', chainId: 1, token: TOKEN, createdAtMs: AT_MS };
    const tokenOf = (called: unknown): unknown => {
      const data = bytes({ v: 1, job: { ...job, status: 'completed' }, called });
      const [event] = eventsOf({
        subject: analysisSubject('fam_1'),
        data,
        messageId: 'analysis:1',
      });
      return JSON.parse(event?.body ?? '{}').token;
    };
    const short = `${TOKEN.slice(0, 6)}…${TOKEN.slice(-4)}`;
    const cases = [
      [{ name: 'Moon Pepe', symbol: 'MPEPE' }, 'Moon Pepe', 'MPEPE'],
      [{ name: '', symbol: 'MPEPE' }, short, 'MPEPE'],
      [undefined, short, ''],
    ] as const;
    for (const [called, name, symbol] of cases) {
      assert.deepEqual(tokenOf(called), { address: TOKEN, name, symbol });
    }
  });

  it('refuses what cannot be read or is too large, and passes over the rest', () => {
    const of = (subject: string, data: Uint8Array) =>
      eventsOf({ subject, data, messageId: undefined });
    assert.throws(() => of('alert.fam_1', Buffer.from('{')), PoisonMessageError);
    assert.throws(() => of('score.1.0x', bytes({ v: 2 })), PoisonMessageError);
    const huge = { ...alert, details: { text: 'x'.repeat(30_000) } };
    const message = bytes({ v: 1, eventId: eventId('huge', AT_MS), state: 'raised', alert: huge });
    assert.throws(() => of('alert.fam_1', message), PoisonMessageError);
    assert.deepEqual(of('cluster.1.ring', Buffer.from('{')), []);
  });
});

describe('isWanted', () => {
  const event = (changes: Partial<ScoreMessage>, type: PushEvent['type']): PushEvent => {
    const found = ofScore(changes).find((one) => one.type === type);
    assert.ok(found);
    return found;
  };

  it('asks for address, severity, confidence and job', () => {
    const scam = event({}, 'token.scam_detected');
    assert.ok(isWanted(scam, null));
    assert.ok(isWanted(scam, { addresses: [TOKEN], min_severity: 'critical' }));
    assert.ok(!isWanted(scam, { addresses: ['0x00'] }));
    assert.ok(!isWanted(scam, { min_confidence: 0.99 }));
    assert.ok(!isWanted(scam, { job_id: 'job_1' }));
    const mild = event({ confidence: 0.6 }, 'token.scam_detected');
    assert.ok(!isWanted(mild, { min_severity: 'critical' }));
  });

  it('reports a sure prediction when it becomes sure, not again while it stays', () => {
    const type = 'prediction.high_confidence';
    const sure = (previousConfidence: number | null, confidence = 0.97) =>
      event({ previousPrediction: 'SCAM', previousConfidence, confidence }, type);
    assert.ok(isWanted(sure(0.9), null));
    assert.ok(!isWanted(sure(0.96), null));
    assert.ok(isWanted(sure(0.96), { min_confidence: 0.97 }));
    assert.ok(!isWanted(sure(0.5, 0.94), null));
    assert.ok(
      isWanted(event({ previousPrediction: 'LEGIT', previousConfidence: 0.99 }, type), null),
    );
  });
});
