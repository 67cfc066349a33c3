import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../platform/projectRoot.ts';
import { RISK_LEVEL_SQL, riskLevel } from './riskLevel.ts';

describe('levels of risk', () => {
  it('begin at 0, 25, 50 and 75', () => {
    const scores = [0, 24.99, 25, 49.99, 50, 74.99, 75, 100];
    const levels = ['LOW', 'LOW', 'MEDIUM', 'MEDIUM', 'HIGH', 'HIGH', 'CRITICAL', 'CRITICAL'];
    assert.deepEqual(scores.map(riskLevel), levels);
  });

  it('are the same in the tables', () => {
    assert.equal(RISK_LEVEL_SQL, 'toUInt8((risk >= 2500) + (risk >= 5000) + (risk >= 7500))');
    const sql = readFileSync(join(projectRoot(), 'migrations/0004_lists.sql'), 'utf8');
    const bounds = [...sql.matchAll(/risk >= (\d+)/g)].map(([, bound]) => bound);
    assert.ok(bounds.length > 0);
    assert.deepEqual([...new Set(bounds)], ['2500', '5000', '7500']);
  });
});
