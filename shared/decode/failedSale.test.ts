import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  encodeAbiParameters,
  encodeFunctionData,
  maxUint160,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  toFunctionSelector,
} from 'viem';
import type { Hex } from '../chain/block.ts';
import { addressesOf, addressOf, topicOf as hash } from '../testing/evmData.ts';
import { failedSaleOf, LIQUIDITY_SELECTORS } from './failedSale.ts';
import type { VerifiedTransaction } from './rawBlock.ts';

/** Addresses without leading zeros. */
const WIDE = BigInt(`0x${'c'.repeat(38)}00`);
const [SELLER, ROUTER, TOKEN] = addressesOf(WIDE + 1n, WIDE + 2n, WIDE + 3n);
const [WETH, DOLLAR, OTHER] = addressesOf(WIDE + 4n, WIDE + 5n, WIDE + 6n);
/** A memecoin has such a large supply that its amounts fill most of an address. */
const AMOUNT = 400_000_000_000_000n * 10n ** 18n;
const ABI = parseAbi([
  'function swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)',
  'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)',
  'function execute(bytes commands, bytes[] inputs, uint256 deadline)',
  'function removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)',
  'function claim(address token, address account)',
  'function approve(address spender, uint256 amount)',
]);

const PERMIT = parseAbiParameters(
  '((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 deadline), bytes',
);
const SWAP = parseAbiParameters('address, uint256, uint256, address[], bool');

const transaction = (input: Hex, change: Partial<VerifiedTransaction> = {}) =>
  failedSaleOf({
    hash: hash(7),
    index: 3,
    from: SELLER,
    to: ROUTER,
    value: '0x0',
    succeeded: false,
    failedInput: input,
    contractAddress: null,
    ...change,
  });
const byPath = (path: readonly Hex[], to: Hex = SELLER): Hex =>
  encodeFunctionData({
    abi: ABI,
    functionName: 'swapExactTokensForETH',
    args: [AMOUNT, 10n ** 18n, path, to, 1_800_000_000n],
  });
/** A signed allowance and a trade against a pool of Uniswap V2, as wallets send them to the Universal Router. */
const universal = (): Hex => {
  const details = { token: TOKEN, amount: maxUint160, expiration: 1_800_000_000, nonce: 0 };
  const allowance = { details, spender: ROUTER, deadline: 1_800_000_000n };
  const permit = encodeAbiParameters(PERMIT, [allowance, `0x${'ab'.repeat(65)}`]);
  const swap = encodeAbiParameters(SWAP, [addressOf(2), AMOUNT, 1n, [TOKEN, WETH], true]);
  const args = ['0x0a08', [permit, swap], maxUint256] as const;
  return encodeFunctionData({ abi: ABI, functionName: 'execute', args });
};

describe('a sale that failed', () => {
  it('is a call that names a path, of which the first token was to be sold', () => {
    assert.deepEqual(transaction(byPath([TOKEN, WETH])), {
      kind: 'failedSale',
      token: TOKEN,
      seller: SELLER,
      router: ROUTER,
      txHash: hash(7),
      txIndex: 3,
    });
    assert.equal(transaction(byPath([TOKEN, DOLLAR, WETH]))?.token, TOKEN);
    assert.equal(transaction(byPath([TOKEN, WETH], OTHER))?.token, TOKEN);
    assert.equal(transaction(universal())?.token, TOKEN);
    const single = { tokenIn: TOKEN, tokenOut: WETH, fee: 3_000, recipient: SELLER } as const;
    const params = { ...single, amountIn: AMOUNT, amountOutMinimum: 1n, sqrtPriceLimitX96: 0n };
    const args = [params] as const;
    const input = encodeFunctionData({ abi: ABI, functionName: 'exactInputSingle', args });
    assert.equal(transaction(input)?.token, TOKEN);
  });

  it('is no purchase of the token: of that, the last of the path', () => {
    assert.equal(transaction(byPath([WETH, DOLLAR, TOKEN]))?.token, WETH);
    assert.equal(transaction(byPath([WETH, TOKEN]), { value: '0x1' }), undefined);
  });

  it('is none of liquidity', () => {
    const uint = 'uint256';
    const amounts = [uint, uint, uint, 'address', uint].join();
    const functions = [
      `addLiquidity(address,address,uint256,${amounts})`,
      `removeLiquidity(address,address,${amounts})`,
      `removeLiquidityWithPermit(address,address,${amounts},bool,uint8,bytes32,bytes32)`,
      `addLiquidity(address,address,bool,uint256,${amounts})`,
      `removeLiquidity(address,address,bool,${amounts})`,
    ];
    assert.deepEqual([...LIQUIDITY_SELECTORS], functions.map(toFunctionSelector));
  });

  it('is nothing that succeeded, creates a contract, or names no path', () => {
    assert.equal(transaction(byPath([TOKEN, WETH]), { failedInput: null }), undefined);
    assert.equal(transaction(byPath([TOKEN, WETH]), { to: null }), undefined);
    const claim = { abi: ABI, functionName: 'claim', args: [TOKEN, SELLER] } as const;
    assert.equal(transaction(encodeFunctionData(claim)), undefined);
    const approval = { abi: ABI, functionName: 'approve', args: [OTHER, maxUint256] } as const;
    assert.equal(transaction(encodeFunctionData(approval)), undefined);
    const args = [TOKEN, WETH, AMOUNT, 0n, 0n, SELLER, 1n] as const;
    const pulled = encodeFunctionData({ abi: ABI, functionName: 'removeLiquidity', args });
    assert.equal(transaction(pulled), undefined);
    for (const input of ['0x', '0x12345678', `0x12345678${'0'.repeat(63)}`] as const) {
      assert.equal(transaction(input), undefined);
    }
  });
});
