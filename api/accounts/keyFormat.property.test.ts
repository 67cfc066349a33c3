import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PROPERTY_RUNS } from '../../shared/testing/random.ts';
import { displayKey, generateKey, isWellFormedKey } from './keyFormat.ts';

test(`a key with one character changed is no key: ${PROPERTY_RUNS} keys`, () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.constantFrom(...Array.from('0123456789abcXYZ_ é')),
      (at, character) => {
        const key = generateKey();
        assert.ok(isWellFormedKey(key));
        const index = at % key.length;
        const changed = key.slice(0, index) + character + key.slice(index + 1);
        assert.equal(isWellFormedKey(changed), changed === key, changed);
        assert.ok(displayKey(key).length < key.length / 2);
      },
    ),
    { numRuns: PROPERTY_RUNS },
  );
});

test(`no other text is a key: ${PROPERTY_RUNS} texts`, () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (text) => {
      assert.equal(isWellFormedKey(text), false);
      assert.equal(isWellFormedKey(`tsd_live_${text}`), false);
    }),
    { numRuns: PROPERTY_RUNS },
  );
});
