import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import { NO_TOKEN } from '../facts/graphFact.ts';
import type { DetectorBlock, DetectorFact } from '../graph/ringDetector.ts';

/** A movement of 1, with only the given fields known. */
export const edge = (
  kind: DetectorFact['kind'],
  from: Hex,
  to: Hex,
  more: Partial<DetectorFact> = {},
): DetectorFact => {
  return {
    kind,
    from,
    to,
    value: 1,
    token: NO_TOKEN,
    txHash: ZERO_HASH,
    codeHash: ZERO_HASH,
    ...more,
  };
};

/** The creation of a token by a wallet. */
export const created = (token: Hex, creator: Hex, codeHash: Hex = ZERO_HASH): DetectorFact =>
  edge('created', creator, token, { codeHash });

/** A block whose hash is its number. */
export const blockOf = (number: number, facts: readonly DetectorFact[]): DetectorBlock => ({
  number,
  hash: `0x${number.toString(16).padStart(64, '0')}`,
  facts,
});
