import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkInputOf, contractOf, OWNER_CALLER, probeOf } from '../testing/checkInputOf.ts';
import { checkOf } from './checkResult.ts';
import { listed, listedCheck } from './listed.ts';
import { ownerPowers } from './ownerPowers.ts';

const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';

describe('listed', () => {
  it('knows the wrapped native coin, stablecoins and established tokens by their addresses', () => {
    const reasons = [WETH, USDC, '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984'] as const;
    assert.deepEqual(
      reasons
        .flatMap((token) => listedCheck.run(checkInputOf({ chainId: 1, token })))
        .map((found) => checkOf(found).reason),
      [
        'The wrapped native coin of Ethereum.',
        'An established stablecoin of Ethereum: USDC.',
        'An established token, by its address: Uniswap (UNI), in public lists of tokens.',
      ],
    );
  });

  it('knows nobody by a name, nor by an address of another chain', () => {
    const named = checkInputOf({ chainId: 1, name: 'Wrapped Ether', symbol: 'WETH' });
    assert.equal(listed(named).status, 'not_applicable');
    assert.equal(listed(checkInputOf({ chainId: 8453, token: WETH })).status, 'not_applicable');
  });

  it('makes powers that the token has in the open facts, not hidden ones', () => {
    const powers = (selector: string) => {
      const power = { kind: 'mint', caller: OWNER_CALLER, selector, data: '0x', value: 1 } as const;
      const contract = contractOf({ probe: probeOf([power]) });
      return ownerPowers(checkInputOf({ chainId: 1, token: USDC, contract })).find(
        ({ id }) => id === 'mint_power',
      );
    };
    const [open, hidden] = [powers('0x40c10f19'), powers('0xdeadbeef')];
    assert.deepEqual([open?.status, open?.severity], ['fail', 'info']);
    assert.deepEqual([hidden?.status, hidden?.severity], ['fail', 'critical']);
  });
});
