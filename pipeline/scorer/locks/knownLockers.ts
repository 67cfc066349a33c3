import type { Hex } from '../../../shared/chain/block.ts';

/**
 * Lockers by the keccak-256 of their deployed code, which holds on every chain. A hash is listed only where it was computed from the code of
 * the contract on its chain, with the block it was read at beside it. None was so far: until then behaviour decides (`lockProber.ts`).
 */
export const KNOWN_LOCKER_CODES: ReadonlyMap<Hex, string> = new Map();
