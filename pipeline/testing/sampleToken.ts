import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../shared/chain/block.ts';
import type { TokenRecord } from '../scorer/token/confirmToken.ts';

/** A token in the form in which the scorer stores it. */
export const sampleToken = (
  token: Hex,
  changes: Partial<Omit<TokenRecord, 'decimals' | 'totalSupply'>> = {},
): TokenRecord => ({
  chainId: 1,
  token,
  name: 'Sample',
  symbol: 'SAMPLE',
  decimals: 18,
  totalSupply: undefined,
  confirmedBy: 'calls',
  creator: ZERO_ADDRESS,
  creatorSource: 'deployment',
  createdBlock: 0,
  createdBlockHash: ZERO_HASH,
  createdTx: ZERO_HASH,
  createdAtS: 0,
  codeHash: ZERO_HASH,
  ...changes,
});
