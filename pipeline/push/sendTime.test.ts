import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Severity } from '../../shared/messages/alertMessage.ts';
import { sampleWebhook } from '../../shared/testing/samples.ts';
import type { Webhook } from '../../shared/webhooks/webhook.ts';
import { sendTime } from './sendTime.ts';

const NIGHT = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin', except_critical: true };
const CHAT = { kind: 'telegram' } as const;
const HOURLY = { ...CHAT, digest: 'hourly' } as const;
const DAILY = { ...CHAT, digest: 'daily' } as const;
const QUIET = { ...CHAT, quietHours: NIGHT } as const;
/** Not even critical events are sent at night. */
const SILENT = { ...CHAT, quietHours: { ...NIGHT, except_critical: false } } as const;
const RECEIVER = { digest: 'daily', quietHours: NIGHT } as const;

type Case = readonly [
  name: string,
  chosen: Partial<Webhook>,
  at: string,
  due: string,
  severity?: Severity,
];

describe('sendTime', () => {
  for (const [name, chosen, at, due, severity = 'info'] of [
    ['at once by default', CHAT, '2026-07-01T12:10', '2026-07-01T12:10'],
    ['with the full hour', HOURLY, '2026-07-01T12:10', '2026-07-01T13:00'],
    ['in the morning', DAILY, '2026-07-01T12:10', '2026-07-02T08:00'],
    ['when the night ends', { ...QUIET, ...DAILY }, '2026-07-01T12:10', '2026-07-02T05:00'],
    ['when quiet hours end', QUIET, '2026-07-01T20:00', '2026-07-02T05:00'],
    ['at once before them', QUIET, '2026-07-01T19:59', '2026-07-01T19:59'],
    ['at once if critical', QUIET, '2026-07-01T23:00', '2026-07-01T23:00', 'critical'],
    ['at their end by choice', SILENT, '2026-07-01T23:00', '2026-07-02T05:00', 'critical'],
    ['not in a quiet hour', { ...HOURLY, ...QUIET }, '2026-07-01T19:30', '2026-07-02T05:00'],
    ['at once at a receiver', RECEIVER, '2026-07-01T23:00', '2026-07-01T23:00'],
  ] satisfies readonly Case[]) {
    it(`is ${name}`, () => {
      const dueMs = sendTime(sampleWebhook(chosen), severity, Date.parse(`${at}Z`));
      assert.equal(new Date(dueMs).toISOString(), `${due}:00.000Z`);
    });
  }
});
