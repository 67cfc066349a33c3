import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refusalToRecord } from './refusalToRecord.ts';

describe('the archive of a release', () => {
  it('is made once, and of releases only', () => {
    assert.equal(refusalToRecord('0.2.0', false), undefined);
    assert.match(refusalToRecord('0.2.0', true) ?? '', /^0\.2\.0 is recorded already/);
    assert.match(refusalToRecord('0.2.0-dev', false) ?? '', /0\.2\.0-dev, which is no release/);
  });
});
