import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isQuiet, nextTimeOfDay } from './quietHours.ts';

/** The first of July 2026 in UTC. */
const MIDNIGHT_MS = 1_782_864_000_000;
const at = (hour: number, minute = 0): number => MIDNIGHT_MS + (hour * 60 + minute) * 60_000;
const night = { from: '22:30', to: '07:00', timezone: 'UTC', except_critical: true };

const CASES = [
  { name: 'before them', hours: night, nowMs: at(22, 29), severity: 'info', quiet: false },
  { name: 'at their beginning', hours: night, nowMs: at(22, 30), severity: 'info', quiet: true },
  { name: 'after midnight', hours: night, nowMs: at(0), severity: 'warning', quiet: true },
  { name: 'at their end', hours: night, nowMs: at(7), severity: 'info', quiet: false },
  { name: 'when it is critical', hours: night, nowMs: at(0), severity: 'critical', quiet: false },
  {
    name: 'when it is critical, without that exception',
    hours: { ...night, except_critical: false },
    nowMs: at(0),
    severity: 'critical',
    quiet: true,
  },
  {
    name: 'by day',
    hours: { ...night, from: '09:00', to: '17:00' },
    nowMs: at(12),
    severity: 'info',
    quiet: true,
  },
  {
    name: 'outside of the day',
    hours: { ...night, from: '09:00', to: '17:00' },
    nowMs: at(18),
    severity: 'info',
    quiet: false,
  },
  {
    name: 'on the clocks of the time zone, summer time included',
    hours: { ...night, timezone: 'Europe/Berlin' },
    nowMs: at(20, 30),
    severity: 'info',
    quiet: true,
  },
  {
    name: 'all day where they begin when they end',
    hours: { ...night, to: '22:30' },
    nowMs: at(12),
    severity: 'info',
    quiet: true,
  },
  {
    name: 'in an unknown time zone',
    hours: { ...night, timezone: 'Moon/Crater' },
    nowMs: at(0),
    severity: 'info',
    quiet: false,
  },
  { name: 'where none are set', hours: undefined, nowMs: at(0), severity: 'info', quiet: false },
] as const;

describe('quietHours', () => {
  for (const { name, hours, nowMs, severity, quiet } of CASES) {
    it(`${quiet ? 'are' : 'are not'} ${name}`, () => {
      assert.equal(isQuiet(hours, severity, nowMs), quiet);
    });
  }
});

describe('nextTimeOfDay', () => {
  const iso = (time: string, timeZone: string, from: string): string =>
    new Date(nextTimeOfDay(time, timeZone, Date.parse(from))).toISOString();
  for (const { name, time, zone, from, next } of [
    {
      name: 'today',
      time: '07:00',
      zone: 'UTC',
      from: '2026-07-01T06:59:59.999Z',
      next: '2026-07-01T07:00:00.000Z',
    },
    {
      name: 'tomorrow once it has come',
      time: '07:00',
      zone: 'UTC',
      from: '2026-07-01T07:00:00Z',
      next: '2026-07-02T07:00:00.000Z',
    },
    {
      name: 'on the day of the zone',
      time: '00:30',
      zone: 'Pacific/Auckland',
      from: '2026-07-01T12:00:00Z',
      next: '2026-07-01T12:30:00.000Z',
    },
    {
      name: 'in a zone of half hours',
      time: '08:00',
      zone: 'Asia/Kolkata',
      from: '2026-07-01T00:00:00Z',
      next: '2026-07-01T02:30:00.000Z',
    },
    {
      name: 'after the clocks went forward in the night',
      time: '07:00',
      zone: 'Europe/Berlin',
      from: '2026-03-28T22:00:00Z',
      next: '2026-03-29T05:00:00.000Z',
    },
    {
      name: 'after they went back in the night',
      time: '07:00',
      zone: 'Europe/Berlin',
      from: '2026-10-24T21:00:00Z',
      next: '2026-10-25T06:00:00.000Z',
    },
    {
      name: 'an hour later where the clocks leap over it',
      time: '02:30',
      zone: 'Europe/Berlin',
      from: '2026-03-28T23:00:00Z',
      next: '2026-03-29T01:30:00.000Z',
    },
    {
      name: 'the first of two',
      time: '02:30',
      zone: 'Europe/Berlin',
      from: '2026-10-24T23:00:00Z',
      next: '2026-10-25T00:30:00.000Z',
    },
    {
      name: 'the second of two after the first',
      time: '02:30',
      zone: 'Europe/Berlin',
      from: '2026-10-25T01:10:00Z',
      next: '2026-10-25T01:30:00.000Z',
    },
    {
      name: 'by the old clocks of a year far back',
      time: '12:00',
      zone: 'America/New_York',
      from: '2007-03-20T00:00:00Z',
      next: '2007-03-20T16:00:00.000Z',
    },
    {
      name: 'in UTC where the zone is unknown',
      time: '07:00',
      zone: 'Moon/Crater',
      from: '2026-07-01T00:00:00Z',
      next: '2026-07-01T07:00:00.000Z',
    },
  ]) {
    it(`is ${name}`, () => {
      assert.equal(iso(time, zone, from), next);
    });
  }

  it('never ends quiet hours while they still are', () => {
    for (const timezone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC']) {
      const hours = { from: '22:00', to: '02:30', timezone, except_critical: true };
      for (let day = 0; day < 366; day += 3) {
        const nowMs = MIDNIGHT_MS + day * 86_400_000 + (day % 48) * 1_800_000;
        const endMs = nextTimeOfDay(hours.to, timezone, nowMs);
        assert.ok(endMs > nowMs && endMs - nowMs <= 25 * 3_600_000, `${timezone}, day ${day}`);
        const isBetween = isQuiet(hours, 'info', endMs);
        assert.equal(isBetween, false, `${timezone}, day ${day}`);
      }
    }
  });
});
