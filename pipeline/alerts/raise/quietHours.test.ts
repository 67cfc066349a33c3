import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isQuiet } from './decideAlerts.ts';

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
