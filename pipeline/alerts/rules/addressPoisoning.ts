import { lookAlike } from '../../../shared/names/lookAlike.ts';
import type { Suspect } from '../counterparties/counterparties.ts';
import { anyStrength, type BlockRule, type Finding, type TokenProfile } from './rule.ts';

/**
 * A transfer of zero, of dust or of a fake token with an address that imitates a counterparty of the wallet: the
 * victim is to copy it from the history. Only the wallet's own items are alerted.
 */
export const addressPoisoning: BlockRule = {
  type: 'address_poisoning',
  watchedAs: 'wallet',
  threshold: anyStrength,
  looksAt: 'Transfers and native payments of a watched wallet',
  strength: 'any',
  severity: 'warning AVOID',
  notDetected:
    'counterparties with whom only tokens without a price moved, false tokens with a name of their own',
  find: ({ block, chainId, suspects }) =>
    suspects.map((suspect) => toFinding(suspect, { chainId, blockNumber: block.number })),
};

const toFinding = (
  suspect: Suspect,
  { chainId, blockNumber }: { chainId: number; blockNumber: number },
): Finding => {
  const { wallet, other, counterparty, lastSeenS, direction, token, value, txHash } = suspect;
  const finding: Finding = {
    type: 'address_poisoning',
    token: token ?? wallet,
    wallets: [wallet],
    strength: 1,
    severity: 'warning',
    recommendation: 'AVOID',
    details: {
      look_alike: other,
      counterparty,
      counterparty_last_seen: lastSeenS,
      direction,
      moved: suspect.worth === 'unvalued' ? 'false_token' : suspect.worth,
      value: value.toString(),
      tx_hash: txHash,
      block_number: blockNumber,
    },
    txHash,
    logIndex: suspect.logIndex,
  };
  return {
    ...finding,
    withProfile: (profile, watchedAs) =>
      watchedAs === 'wallet' && (suspect.worth !== 'unvalued' || isFalse(profile, chainId))
        ? finding
        : null,
  };
};

/** A token that imitates a known one, or whose name has not been read. */
const isFalse = ({ token, name, symbol }: TokenProfile, chainId: number): boolean =>
  (name === '' && symbol === '') ||
  lookAlike({ chainId, address: token, name, symbol }) !== undefined;
