import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeErrorResult, parseAbi } from 'viem';
import { writeSentence } from '../../../shared/sentences/writeSentence.ts';
import { lostShare, readSale, revertReason, sellTaxOf } from './readOutcomes.ts';
import type { SimulationPlan } from './simulateParams.ts';

const ABI = parseAbi([
  'error Error(string)',
  'error Panic(uint256)',
  'error Sealed(address)',
  'error WrappedError(address target, bytes4 selector, bytes reason, bytes details)',
]);
const TARGET = `0x${'7'.repeat(40)}` as const;
/** As the manager of Uniswap V4 passes reverts on. */
const wrapped = (reason: `0x${string}`, details: `0x${string}`) =>
  encodeErrorResult({
    abi: ABI,
    errorName: 'WrappedError',
    args: [TARGET, '0x575e24b4', reason, details],
  });
const HOOK_CALL_FAILED = '0xa9e35b2f';
const TRANSFER_FAILED = '0xf27f64e4';
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
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
    [
      'what a hook says',
      wrapped(reverted('over'), HOOK_CALL_FAILED),
      'the hook of the pool refuses it: it reverts with “over”',
    ],
    [
      'what a token says in a pool of Uniswap V4',
      wrapped(reverted('paused'), TRANSFER_FAILED),
      'it reverts with “paused”',
    ],
    [
      'a wrapped error that is none',
      '0x90bfb865ffff',
      'it reverts with the custom error 0x90bfb865',
    ],
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

describe('readSale', () => {
  it('says what refuses a sale, and that it earns nothing where the pool sees nothing arrive', () => {
    const answer = (status: '0x0' | '0x1', returnData: string = word(500n)) => ({
      status,
      returnData,
    });
    const why = (...sale: ReturnType<typeof answer>[]): string => {
      const calls = [answer('0x1'), ...sale, answer('0x1')];
      const blocks = [{ calls: [answer('0x1')] }, { calls }];
      const plan = { params: [{}, '0x1'], callsPerBlock: [1, 4] } as unknown as SimulationPlan;
      const sold = readSale(plan, { ok: true, result: blocks }, 500n);
      return sold.kind === 'failed' ? writeSentence(sold.reason, 'en') : sold.kind;
    };
    const missed = answer('0x0', reverted('UniswapV2: INSUFFICIENT_INPUT_AMOUNT'));
    assert.equal(why(answer('0x1'), missed), 'it earns nothing');
    assert.equal(why(answer('0x1'), answer('0x0', reverted('no'))), 'it reverts with “no”');
    assert.match(why(missed, answer('0x0')), /INSUFFICIENT/);
  });
});

describe('lostShare', () => {
  it('is what did not arrive of what was sent', () => {
    assert.equal(lostShare(1_000n, 1_000n), 0);
    assert.equal(lostShare(900n, 1_000n), 0.1);
    assert.equal(lostShare(0n, 1_000n), 1);
  });

  it('is nothing where more arrived', () => {
    assert.equal(lostShare(2n ** 255n, 1_000n), 0);
  });
});

describe('sellTaxOf', () => {
  const sale = { amount: 1_000n, received: 1_000n, earned: 500n, arrived: 500n };

  it('is nothing where all arrives', () => {
    assert.equal(sellTaxOf(sale), 0);
  });

  it('joins what is lost on the way in and on the way out', () => {
    assert.equal(sellTaxOf({ ...sale, received: 750n }), 0.25);
    assert.equal(sellTaxOf({ ...sale, arrived: 250n }), 0.5);
    assert.equal(sellTaxOf({ ...sale, received: 500n, arrived: 250n }), 0.75);
  });

  it('does not let a surplus on one side hide a loss on the other', () => {
    assert.equal(sellTaxOf({ ...sale, received: 4_000n, arrived: 250n }), 0.5);
    assert.equal(sellTaxOf({ ...sale, received: 500n, arrived: 5_000n }), 0.5);
  });
});
