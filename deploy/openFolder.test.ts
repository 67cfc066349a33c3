import assert from 'node:assert/strict';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { tempFolder } from '../shared/testing/tempFolder.ts';
import { createBackup } from './backup/createBackup.ts';
import { writeSecrets } from './createSecrets.ts';
import { exportDays } from './local/exportDays.ts';
import { openFolder } from './openFolder.ts';

describe('a folder that somebody chose', () => {
  const folder = tempFolder();

  it('is made with those above it, where it can be used', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    assert.throws(() => openFolder('STATE_DIR', file), {
      message: `STATE_DIR: ${file} is a file, not a folder: choose another folder`,
    });
    assert.throws(() => openFolder('TO', join(file, 'below')), /^Error: TO: .* lies below a file/);
    assert.throws(() => openFolder('OUT', '/proc/none/of/these'), /^Error: OUT: .* cannot be used/);
    const fresh = join(folder, 'a/b');
    openFolder('STATE_DIR', fresh, 0o700);
    openFolder('STATE_DIR', fresh);
    mkdirSync(join(fresh, 'data'));
    assert.equal(statSync(fresh).mode & 0o777, 0o700);
  });

  it('is refused before a server is asked', async () => {
    const nowhere = 'http://127.0.0.1:1';
    const stores = {
      clickhouseUrl: nowhere,
      redisUrl: nowhere,
      natsUrl: nowhere,
      keyPepper: 'a',
      webhookSecretKey: 'b',
    };
    await assert.rejects(
      createBackup(stores, '/proc/x'),
      /^Error: TO: \/proc\/x\S* cannot be used/,
    );
    const request = { url: nowhere, out: '/proc/x', timeoutMs: 1, print: () => undefined };
    await assert.rejects(exportDays(request), /^Error: OUT: \/proc\/x cannot be used/);
    assert.throws(() => writeSecrets('/proc/x', nowhere), /^Error: DIR: \/proc\/x cannot be used/);
  });
});
