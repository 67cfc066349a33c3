import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { riskLevel } from './riskLevel.ts';

describe('levels of risk', () => {
  it('begin at 0, 25, 50 and 75', () => {
    const scores = [0, 24.99, 25, 49.99, 50, 74.99, 75, 100];
    const levels = ['LOW', 'LOW', 'MEDIUM', 'MEDIUM', 'HIGH', 'HIGH', 'CRITICAL', 'CRITICAL'];
    assert.deepEqual(scores.map(riskLevel), levels);
  });
});
