import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foldText } from './foldText.ts';

describe('folded text', () => {
  it('is the same for compatibility forms, letter case and other alphabets', () => {
    for (const text of ['USDT', 'UЅDТ', 'ＵＳＤＴ', '𝐔𝐒𝐃𝐓', 'ŮŚĎŢ', 'usdt']) {
      assert.equal(foldText(text), 'usdt', text);
    }
    assert.notEqual(foldText('USDC'), 'usdt');
    assert.equal(foldText('币安 %_\\'), '币安 %_\\');
  });
});
