import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { debianMirrors, parseListFile, parseSourcesFile, renderSources } from './aptSources.ts';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

describe('parseSourcesFile', () => {
  it('reads stanzas with comments, several suites and a keyring', () => {
    const text = `# the archive
Types: deb deb-src
# an address in a comment
URIs: http://mirror.test/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: ${KEYRING}

Types: deb
URIs: http://mirror.test/debian-security
Suites: bookworm-security
Components: main
`;
    assert.deepEqual(parseSourcesFile(text), [
      {
        uris: ['http://mirror.test/debian'],
        suites: ['bookworm', 'bookworm-updates'],
        components: ['main', 'contrib'],
        signedBy: KEYRING,
      },
      {
        uris: ['http://mirror.test/debian-security'],
        suites: ['bookworm-security'],
        components: ['main'],
        signedBy: undefined,
      },
    ]);
  });

  it('keeps an embedded key as it is written', () => {
    const key =
      '\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n -----END PGP PUBLIC KEY BLOCK-----';
    const text = `Types: deb\nURIs: http://m.test/debian\nSuites: bookworm\nComponents: main\nSigned-By:${key}\n`;
    const [source] = parseSourcesFile(text);
    assert.equal(source?.signedBy, key);
    assert.deepEqual(parseSourcesFile(renderSources(source ? [source] : [])), [source]);
  });

  for (const [name, lines] of [
    ['source packages only', 'Types: deb-src'],
    ['switched off', 'Types: deb\nEnabled: no'],
    ['a stanza of comments', '# Types: deb'],
  ] as const) {
    it(`skips ${name}`, () => {
      const text = `${lines}\nURIs: http://m.test/debian\nSuites: bookworm\nComponents: main\n`;
      assert.deepEqual(parseSourcesFile(text), []);
    });
  }
});

describe('parseListFile', () => {
  const source = {
    uris: ['http://mirror.test/debian'],
    suites: ['bookworm'],
    components: ['main'],
    signedBy: undefined,
  };
  const cases: [line: string, sources: unknown][] = [
    ['deb http://mirror.test/debian bookworm main', [source]],
    ['deb\thttp://mirror.test/debian  bookworm\tmain # the archive', [source]],
    [
      `deb [signed-by=${KEYRING}] http://mirror.test/debian bookworm main`,
      [{ ...source, signedBy: KEYRING }],
    ],
    [
      `deb [arch=amd64 signed-by=${KEYRING}] http://mirror.test/debian bookworm main contrib`,
      [{ ...source, signedBy: KEYRING, components: ['main', 'contrib'] }],
    ],
    ['# deb http://mirror.test/debian bookworm main', []],
    ['deb-src http://mirror.test/debian bookworm main', []],
    ['deb http://mirror.test/flat ./', []],
    ['', []],
  ];
  for (const [line, sources] of cases) {
    it(`reads "${line}"`, () => assert.deepEqual(parseListFile(line), sources));
  }
});

describe('debianMirrors', () => {
  it('takes main of the release and puts Debian before vendors who use its suite names', () => {
    const sources = parseListFile(`deb http://vendor.test/apt bookworm main
deb http://mirror.test/debian-security bookworm-security main
deb http://vendor.test/docker bookworm stable
deb http://mirror.test/debian/ bookworm main non-free
deb http://mirror.test/debian bookworm-updates main`);
    assert.deepEqual(
      debianMirrors(sources, 'bookworm').map(({ uris, suites, components }) => [
        ...uris,
        ...suites,
        ...components,
      ]),
      [
        ['http://mirror.test/debian/', 'bookworm', 'main'],
        ['http://vendor.test/apt', 'bookworm', 'main'],
      ],
    );
  });

  it('finds none where the machine has another release', () => {
    const sources = parseListFile('deb http://mirror.test/debian bookworm main');
    assert.deepEqual(debianMirrors(sources, 'trixie'), []);
  });
});
