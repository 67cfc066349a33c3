import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isQuiet, nextTimeOfDay } from './quietHours.ts';

/** The first of July 2026 in UTC. */
const MIDNIGHT_MS = 1_782_864_000_000;
const at = (hour: number, minute = 0): number => MIDNIGHT_MS + (hour * 60 + minute) * 60_000;
const night = { from: '22:30', to: '07:00', timezone: 'UTC', except_critical: true };

const DAY = { ...night, from: '09:00', to: '17:00' };

const CASES = [
  ['before them', night, at(22, 29), 'info', false],
  ['at their beginning', night, at(22, 30), 'info', true],
  ['after midnight', night, at(0), 'warning', true],
  ['at their end', night, at(7), 'info', false],
  ['when it is critical', night, at(0), 'critical', false],
  ['without that exception', { ...night, except_critical: false }, at(0), 'critical', true],
  ['by day', DAY, at(12), 'info', true],
  ['outside of the day', DAY, at(18), 'info', false],
  [
    'by the summer time of a zone',
    { ...night, timezone: 'Europe/Berlin' },
    at(20, 30),
    'info',
    true,
  ],
  ['all day where they begin when they end', { ...night, to: '22:30' }, at(12), 'info', true],
  ['in an unknown time zone', { ...night, timezone: 'Moon/Crater' }, at(0), 'info', false],
  ['where none are set', undefined, at(0), 'info', false],
] as const;

describe('quietHours', () => {
  for (const [name, hours, nowMs, severity, quiet] of CASES) {
    it(`${quiet ? 'are' : 'are not'} ${name}`, () => {
      assert.equal(isQuiet(hours, severity, nowMs), quiet);
    });
  }
});

describe('nextTimeOfDay', () => {
  const after = (time: string, timeZone: string, from: string): string =>
    new Date(nextTimeOfDay(time, timeZone, Date.parse(`${from}Z`))).toISOString();
  for (const [name, time, zone, from, next] of [
    ['today', '07:00', 'UTC', '2026-07-01T06:59:59.999', '2026-07-01T07:00'],
    ['tomorrow once it has come', '07:00', 'UTC', '2026-07-01T07:00', '2026-07-02T07:00'],
    ['on the day of the zone', '00:30', 'Pacific/Auckland', '2026-07-01T12:00', '2026-07-01T12:30'],
    ['in a zone of half hours', '08:00', 'Asia/Kolkata', '2026-07-01T00:00', '2026-07-01T02:30'],
    ['after clocks go forward', '07:00', 'Europe/Berlin', '2026-03-28T22:00', '2026-03-29T05:00'],
    ['after clocks go back', '07:00', 'Europe/Berlin', '2026-10-24T21:00', '2026-10-25T06:00'],
    ['later where clocks leap', '02:30', 'Europe/Berlin', '2026-03-28T23:00', '2026-03-29T01:30'],
    ['the first of two', '02:30', 'Europe/Berlin', '2026-10-24T23:00', '2026-10-25T00:30'],
    ['the second of two', '02:30', 'Europe/Berlin', '2026-10-25T01:10', '2026-10-25T01:30'],
    ['by the clocks of 2007', '12:00', 'America/New_York', '2007-03-20T00:00', '2007-03-20T16:00'],
    ['in UTC in an unknown zone', '07:00', 'Moon/Crater', '2026-07-01T00:00', '2026-07-01T07:00'],
  ] as const) {
    it(`is ${name}`, () => {
      assert.equal(after(time, zone, from), `${next}:00.000Z`);
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
