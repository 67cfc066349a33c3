import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sourcesOfRelease, withoutHosts } from './debianPackages.ts';

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

describe('sourcesOfRelease', () => {
  const cases: [name: string, text: string, expected: string][] = [
    [
      'suites of a stanza',
      'Types: deb\nSuites: bookworm bookworm-updates\nSigned-By: /usr/share/keyrings/bookworm.gpg',
      'Types: deb\nSuites: trixie trixie-updates\nSigned-By: /usr/share/keyrings/bookworm.gpg',
    ],
    [
      'the suite of a line',
      'deb [signed-by=/keys/bookworm.gpg] http://m.test/bookworm bookworm main # bookworm\n',
      'deb [signed-by=/keys/bookworm.gpg] http://m.test/bookworm trixie main # trixie\n',
    ],
    ['no other release', 'deb http://m.test/debian sid main', 'deb http://m.test/debian sid main'],
  ];
  for (const [name, text, expected] of cases) {
    it(`replaces ${name}`, () =>
      assert.equal(sourcesOfRelease(text, 'bookworm', 'trixie'), expected));
  }
});
