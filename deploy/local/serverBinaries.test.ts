import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { tempFolder } from '../../shared/testing/tempFolder.ts';
import { natsServer, parseVersion } from './serverBinaries.ts';

describe('parseVersion', () => {
  const cases: [text: string, version: [number, number] | undefined][] = [
    ['nats-server: v2.10.27', [2, 10]],
    ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64', [7, 0]],
    ['Redis server v=8.0.2', [8, 0]],
    ['setpriv from util-linux 2.41.5', [2, 41]],
    ['command not found', undefined],
  ];
  for (const [text, version] of cases) {
    it(`reads "${text}"`, () => assert.deepEqual(parseVersion(text), version));
  }
});

describe('natsServer', () => {
  it('takes the first one on PATH that is new enough', async () => {
    const folder = tempFolder();
    const path = process.env['PATH'];
    try {
      const folders = ['2.9.25', '1.99.0', '2.12.1', '3.0.0'].map((version) => {
        const home = join(folder, version);
        mkdirSync(home);
        const script = `#!/bin/sh\necho 'nats-server: v${version}'\n`;
        writeFileSync(join(home, 'nats-server'), script, { mode: 0o755 });
        return home;
      });
      process.env['PATH'] = [...folders, path].join(':');
      const found = join(folder, '2.12.1/nats-server');
      assert.deepEqual(await natsServer(), { path: found, args: [], env: {} });
    } finally {
      process.env['PATH'] = path;
    }
  });
});
