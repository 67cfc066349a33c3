import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../platform/projectRoot.ts';
import { foldSql, foldText } from './foldText.ts';

describe('folded text', () => {
  it('is the same for compatibility forms, letter case and other alphabets', () => {
    for (const text of ['USDT', 'UЅDТ', 'ＵＳＤＴ', '𝐔𝐒𝐃𝐓', 'ŮŚĎŢ', 'usdt']) {
      assert.equal(foldText(text), 'usdt', text);
    }
    assert.notEqual(foldText('USDC'), 'usdt');
    assert.equal(foldText('币安 %_\\'), '币安 %_\\');
  });

  it('is the same in the tables', async () => {
    const file = join(projectRoot(), 'migrations/0004_lists.sql');
    const sql = await readFile(file, 'utf8');
    assert.ok(sql.includes(foldSql('term.2')));
  });
});
