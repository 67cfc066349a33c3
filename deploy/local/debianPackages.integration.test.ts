import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { tempFolder } from '../../shared/testing/tempFolder.ts';
import { createDebianPackages } from './debianPackages.ts';

const codename = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
const isDebian = /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));

describe('createDebianPackages', () => {
  it('fails in words, without the address, when the mirror is out of reach', {
    skip: !isDebian && 'needs a Debian release',
  }, async () => {
    const folder = tempFolder();
    const reports: string[] = [];
    writeFileSync(join(folder, 'sources.list'), `deb http://127.0.0.1:1/debian ${codename} main`);
    const debian = createDebianPackages({
      folder,
      aptFolder: folder,
      report: (line) => reports.push(line),
    });
    await assert.rejects(debian.unpack(['nats-server'], 'trixie', join(folder, 'out')), (error) => {
      const { message } = error as Error;
      assert.match(message, /^reading package lists failed:/);
      assert.doesNotMatch(message, /127\.0\.0\.1/);
      return true;
    });
    assert.match(reports.join(), /^reading Debian's package lists/);
  });
});
