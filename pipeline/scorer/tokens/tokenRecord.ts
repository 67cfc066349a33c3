import type { Hex } from '../../../shared/chain/block.ts';
import type { TokenProfile } from './confirmToken.ts';

/** How the creator of a token was found. `deployment` is certain, the others are the sender. */
export type CreatorSource = 'unknown' | 'deployment' | 'first_transfer' | 'pair_created';

/** A confirmed token as it is kept. */
export interface TokenRecord extends TokenProfile {
  readonly chainId: number;
  readonly token: Hex;
  readonly creator: Hex;
  readonly creatorSource: CreatorSource;
  readonly createdBlock: number;
  readonly createdBlockHash: Hex;
  readonly createdTx: Hex;
  /** Unix seconds. */
  readonly createdAtS: number;
  /** keccak-256 of the code, or zero where the node shows no code. */
  readonly codeHash: Hex;
}
