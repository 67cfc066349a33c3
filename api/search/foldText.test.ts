import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { foldText, LATIN, LOOK_ALIKES } from './foldText.ts';

describe('folded text', () => {
  it('reads alike for compatibility forms, letter case and other alphabets', () => {
    for (const text of ['USDT', 'UЅDТ', 'ＵＳＤＴ', '𝐔𝐒𝐃𝐓', 'ŮŚĎŢ', 'usdt']) {
      assert.equal(foldText(text), 'usdt', text);
    }
    assert.notEqual(foldText('USDC'), 'usdt');
    assert.equal(foldText('币安 %_\\'), '币安 %_\\');
  });

  it('is folded by the same letters in the database', async () => {
    const file = join(projectRoot(), 'migrations/0004_lists.sql');
    const sql = await readFile(file, 'utf8');
    assert.equal(Array.from(LOOK_ALIKES).length, Array.from(LATIN).length);
    assert.ok(sql.includes(`'${LOOK_ALIKES}', '${LATIN}'`));
  });
});
