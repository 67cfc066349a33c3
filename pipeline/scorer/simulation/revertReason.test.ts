import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeErrorResult, parseAbi } from 'viem';
import { writeSentence } from '../../../shared/sentences/writeSentence.ts';
import { revertReason } from './readOutcomes.ts';

const ABI = parseAbi(['error Error(string)', 'error Panic(uint256)', 'error Sealed(address)']);
const reverted = (text: string) =>
  encodeErrorResult({ abi: ABI, errorName: 'Error', args: [text] });

describe('revertReason', () => {
  const cases: readonly [string, string, string][] = [
    ['no data', '0x', 'it reverts without a reason'],
    ['an empty answer', '', 'it reverts without a reason'],
    ['text', reverted('K'), 'it reverts with “K”'],
    ['hostile text', reverted('a\u0000\u202e\r\n<b>'), 'it reverts with “a <b>”'],
    ['text of nothing visible', reverted('\u200b'), 'it reverts with an unreadable reason'],
    ['broken text', '0x08c379a0ffff', 'it reverts with an unreadable reason'],
    [
      'a panic',
      encodeErrorResult({ abi: ABI, errorName: 'Panic', args: [17n] }),
      'it panics with code 0x11',
    ],
    ['a broken panic', '0x4e487b71', 'it reverts with the custom error 0x4e487b71'],
    [
      'a panic of an absurd code',
      `0x4e487b71${'f'.repeat(64)}`,
      'it reverts with the custom error 0x4e487b71',
    ],
    ['a custom error', '0xDEADBEEF00', 'it reverts with the custom error 0xdeadbeef'],
    ['less than a selector', '0xdead', 'it reverts without a reason'],
    ['no hexadecimal', '0xzzzzzzzzzz', 'it reverts without a reason'],
    ['data that floods', `0x08c379a0${'00'.repeat(1_000_000)}`, 'it reverts with overlong data'],
  ];
  for (const [name, data, expected] of cases) {
    it(`reads ${name}`, () => {
      assert.equal(writeSentence(revertReason(data), 'en'), expected);
    });
  }

  it('cuts long text', () => {
    const reason = writeSentence(revertReason(reverted('x'.repeat(1_000))), 'en');
    assert.equal(reason, `it reverts with “${'x'.repeat(120)}”`);
  });
});
