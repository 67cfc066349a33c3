import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { tempFolder } from '../testing/tempFolder.ts';
import { silentLogger } from './logger.ts';
import { createMailer } from './mailer.ts';

describe('mails in a folder', () => {
  it('hold a link on one line as it was, for their owner alone', async () => {
    const folder = join(tempFolder(), 'mail');
    const url = `https://api.example.org/dashboard/confirm?token=${'ab-_='.repeat(40)}`;
    const mailer = createMailer({ folder, from: 'a@example.org', logger: silentLogger });
    mailer.send({ to: 'b@example.org', subject: 'Größe', text: `Öffnen:\n\n${url}\n` });
    await mailer.drain();
    const [name = ''] = readdirSync(folder);
    const file = join(folder, name);
    const lines = readFileSync(file, 'utf8').split('\r\n');
    assert.ok(lines.includes(url), lines.join('\n'));
    assert.ok(lines.includes('Öffnen:'));
    assert.ok(lines.includes('Content-Transfer-Encoding: 8bit'));
    assert.deepEqual(
      lines.filter((line) => line.startsWith('Content-Type')),
      ['Content-Type: text/plain; charset=utf-8'],
    );
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });
});
