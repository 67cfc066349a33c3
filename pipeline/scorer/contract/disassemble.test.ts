import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { disassemble } from './codePatterns.ts';

describe('disassemble', () => {
  it('reads instructions with what they push', () => {
    assert.deepEqual(disassemble('0x6001610203f4'), [
      { at: 0, opcode: 0x60, pushed: '01' },
      { at: 2, opcode: 0x61, pushed: '0203' },
      { at: 5, opcode: 0xf4, pushed: '' },
    ]);
  });

  it('takes no data of a push for an instruction', () => {
    assert.deepEqual(
      disassemble('0x61fff4').map(({ opcode }) => opcode),
      [0x61],
    );
  });

  it('leaves out the metadata of the compiler, which is no code', () => {
    const metadata = `a264${'ff'.repeat(8)}000a`;
    assert.deepEqual(disassemble(`0x6001${metadata}`), [{ at: 0, opcode: 0x60, pushed: '01' }]);
  });

  it('keeps code that only ends like metadata', () => {
    assert.equal(disassemble('0x5b5b0002').length, 4);
  });

  it('cuts a push that the end of the code cuts', () => {
    assert.deepEqual(disassemble('0x63aabb'), [{ at: 0, opcode: 0x63, pushed: 'aabb' }]);
    assert.deepEqual(disassemble('0x'), []);
  });
});
