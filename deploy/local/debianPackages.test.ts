import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutHosts } from './debianPackages.ts';

describe('withoutHosts', () => {
  const cases: [text: string, shown: string][] = [
    ['Err:1 http://m.test:80/debian trixie InRelease', 'Err:1 <mirror> trixie InRelease'],
    ["Temporary failure resolving 'm.test'", 'Temporary failure resolving <mirror>'],
    ['Could not connect to m.test:80 (10.1.2.3).', 'Could not connect to <mirror> (<address>).'],
    ['Cannot initiate the connection (fe80::1)', 'Cannot initiate the connection (<address>)'],
    ['Hash Sum mismatch', 'Hash Sum mismatch'],
  ];
  for (const [text, shown] of cases) {
    it(`shows "${shown}"`, () => assert.equal(withoutHosts(text), shown));
  }
});
