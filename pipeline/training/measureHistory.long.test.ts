import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { describeHistory, measureHistory } from './measureHistory.ts';

const DATA = join(projectRoot(), '../shared/data');
const skip = existsSync(DATA) ? false : `SKIPPED: ${DATA} is not there`;

describe('recorded history', () => {
  it('finds serial deployers by what their earlier pools came to', { skip }, async (t) => {
    const figures = await measureHistory(DATA);
    for (const line of describeHistory(figures)) t.diagnostic(line);
    const { serial, rule } = figures;
    assert.ok(serial.creators >= 200);
    for (const cohort of ['2020', '2021']) {
      const result = rule[cohort];
      assert.ok(result && result.right >= 30);
      assert.ok(result.precision >= 0.75);
      assert.ok(result.precision > result.baseRate + 0.1);
    }
  });
});
