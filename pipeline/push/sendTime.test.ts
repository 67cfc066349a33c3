import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sampleWebhook } from '../../shared/testing/samples.ts';
import type { Webhook } from '../../shared/webhooks/webhook.ts';
import { sendTime } from './sendTime.ts';

const NIGHT = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin', except_critical: true };
const CHAT: Partial<Webhook> = { kind: 'telegram' };

describe('sendTime', () => {
  for (const { name, chosen, severity = 'info', at, due } of [
    {
      name: 'at once by default',
      chosen: CHAT,
      at: '2026-07-01T12:10:00Z',
      due: '2026-07-01T12:10:00Z',
    },
    {
      name: 'with the full hour',
      chosen: { ...CHAT, digest: 'hourly' },
      at: '2026-07-01T12:10:00Z',
      due: '2026-07-01T13:00:00Z',
    },
    {
      name: 'in the morning',
      chosen: { ...CHAT, digest: 'daily' },
      at: '2026-07-01T12:10:00Z',
      due: '2026-07-02T08:00:00Z',
    },
    {
      name: 'when quiet hours end, of a day',
      chosen: { ...CHAT, digest: 'daily', quietHours: NIGHT },
      at: '2026-07-01T12:10:00Z',
      due: '2026-07-02T05:00:00Z',
    },
    {
      name: 'when quiet hours end',
      chosen: { ...CHAT, quietHours: NIGHT },
      at: '2026-07-01T20:00:00Z',
      due: '2026-07-02T05:00:00Z',
    },
    {
      name: 'at once before them',
      chosen: { ...CHAT, quietHours: NIGHT },
      at: '2026-07-01T19:59:00Z',
      due: '2026-07-01T19:59:00Z',
    },
    {
      name: 'at once in them where it is critical',
      chosen: { ...CHAT, quietHours: NIGHT },
      severity: 'critical',
      at: '2026-07-01T23:00:00Z',
      due: '2026-07-01T23:00:00Z',
    },
    {
      name: 'at their end though it is critical, where that was chosen',
      chosen: { ...CHAT, quietHours: { ...NIGHT, except_critical: false } },
      severity: 'critical',
      at: '2026-07-01T23:00:00Z',
      due: '2026-07-02T05:00:00Z',
    },
    {
      name: 'not with an hour that is quiet',
      chosen: { ...CHAT, digest: 'hourly', quietHours: NIGHT },
      at: '2026-07-01T19:30:00Z',
      due: '2026-07-02T05:00:00Z',
    },
    {
      name: 'at once at a receiver',
      chosen: { digest: 'daily', quietHours: NIGHT },
      at: '2026-07-01T23:00:00Z',
      due: '2026-07-01T23:00:00Z',
    },
  ] as const) {
    it(`is ${name}`, () => {
      const dueMs = sendTime(sampleWebhook(chosen), severity as 'info', Date.parse(at));
      assert.equal(dueMs, Date.parse(due), new Date(dueMs).toISOString());
    });
  }
});
