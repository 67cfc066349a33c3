import { sentence } from '../../../shared/sentences/sentence.ts';
import { keccakOf } from '../simulation/evmCode.ts';
import type { CheckInput } from './checkInput.ts';
import type { CheckResult } from './checkResult.ts';
import { logsRequest } from './evidence.ts';

const TRANSFER_TOPIC = keccakOf('Transfer(address,address,uint256)');
/** Share of the supply in ten wallets from which they can sink the price alone. */
const CONCENTRATION_MIN = 0.9;
/** Holders below which concentration says nothing: every token begins in one wallet. */
const HOLDERS_MIN = 20;

/** Whether ten wallets hold nearly everything, pools and burn addresses left out. */
export const holderConcentration = (input: CheckInput): CheckResult => {
  const { token, topTenConcentration, holderCount } = input;
  const check = { id: 'holder_concentration', severity: 'warning' } as const;
  if (holderCount < HOLDERS_MIN) {
    const reason = sentence('fewHolders', { holders: holderCount });
    return { ...check, status: 'unknown', reason };
  }
  if (!input.areBalancesKnown) {
    const reason = sentence('balancesUnknown');
    return { ...check, status: 'unknown', reason };
  }
  const value = Math.round(topTenConcentration * 10_000) / 10_000;
  const reason = sentence('topTenHold', { share: value });
  const evidence = [
    {
      kind: 'address' as const,
      ref: token,
      note: sentence('transferLogs'),
      request: logsRequest(token, TRANSFER_TOPIC),
    },
  ];
  const status = value >= CONCENTRATION_MIN ? 'fail' : 'pass';
  return { ...check, status, value, reason, evidence };
};
