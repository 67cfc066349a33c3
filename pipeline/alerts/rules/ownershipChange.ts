import { ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { anyStrength, type BlockRule, type Finding } from './rule.ts';

/** The owner of a contract changed. The first owner, set by a constructor, is no change. */
export const ownershipChange: BlockRule = {
  type: 'ownership_change',
  threshold: anyStrength,
  looksAt: '`OwnershipTransferred`',
  strength: 'any',
  severity: 'warning MONITOR, renounced: info NO_ACTION',
  notDetected: 'other ways of handing over power',
  find: ({ block }) =>
    block.facts.flatMap((fact): Finding[] => {
      if (fact.kind !== 'ownershipTransferred') return [];
      const { previousOwner, newOwner, contract, txHash, logIndex } = fact;
      if (previousOwner === ZERO_ADDRESS || previousOwner === newOwner) return [];
      const isRenounced = newOwner === ZERO_ADDRESS;
      return [
        {
          type: 'ownership_change',
          token: contract,
          wallets: isRenounced ? [previousOwner] : [previousOwner, newOwner],
          strength: 1,
          severity: isRenounced ? 'info' : 'warning',
          recommendation: isRenounced ? 'NO_ACTION' : 'MONITOR',
          details: {
            previous_owner: previousOwner,
            new_owner: newOwner,
            renounced: isRenounced,
            tx_hash: txHash,
            block_number: block.number,
          },
          txHash,
          logIndex,
        },
      ];
    }),
};
