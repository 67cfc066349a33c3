import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planMigrations } from './plan.ts';

const file = (name: string, checksum = name) => ({ name, sql: 'SELECT 1', checksum });
const FIRST = file('0001_a.sql');
const SECOND = file('0002_b.sql');

describe('planMigrations', () => {
  it('plans everything in order on an empty database', () => {
    assert.deepEqual(planMigrations([SECOND, FIRST], []), [FIRST, SECOND]);
  });

  it('plans what is not applied yet', () => {
    assert.deepEqual(planMigrations([FIRST, SECOND], [FIRST]), [SECOND]);
  });

  it('refuses a gap in the numbers', () => {
    assert.throws(() => planMigrations([FIRST, file('0003_c.sql')], []), /0002 is missing/);
  });

  it('refuses a name out of form', () => {
    assert.throws(() => planMigrations([file('create.sql')], []), /must be named like/);
  });

  it('refuses a file that changed after it was applied', () => {
    const applied = [{ name: FIRST.name, checksum: 'other' }];
    assert.throws(() => planMigrations([FIRST], applied), /changed after it was applied/);
  });

  it('refuses to run older code against a newer schema', () => {
    assert.throws(() => planMigrations([FIRST], [FIRST, SECOND]), /older than the tables/);
  });
});
