import { keccakOf } from '../../../shared/encode/evmCode.ts';
import type { Check } from '../../../shared/messages/verdictDoc.ts';
import type { CheckInput } from './checkInput.ts';
import { logsRequest } from './evidence.ts';

const SYNC_TOPIC = keccakOf('Sync(uint112,uint112)');
/**
 * Log-odds from which the market accuses a token: pools that were drained traded like this one three
 * times as often as pools that were not. Less is counted, but is common among honest tokens too.
 */
const EVIDENCE_MIN = Math.log(3);

/**
 * Whether the main pool trades like pools that were drained within a week. Being young is not held
 * against it: most young pools are drained, so it must look worse than others of its age.
 */
export const marketPattern = ({ pool, modelProbability, marketEvidence }: CheckInput): Check => {
  const check = { id: 'market_pattern', severity: 'warning' } as const;
  if (!pool) {
    return {
      ...check,
      status: 'unknown',
      reason: 'The token has no pool, so the model saw no trade.',
    };
  }
  const value = Math.round(modelProbability * 10_000) / 10_000;
  const { pool_address, last_block } = pool.stored;
  const evidence = [
    {
      kind: 'address' as const,
      ref: pool_address,
      note: `Sync logs up to block ${last_block}; the contributions in shap_values follow from them`,
      request: logsRequest(pool_address, SYNC_TOPIC, last_block),
    },
  ];
  const times = Math.exp(Math.abs(marketEvidence)).toFixed(1);
  const rarity = marketEvidence >= 0 ? 'more' : 'less';
  const reason = `Of pools that traded like this one, ${(100 * modelProbability).toFixed(0)} % were drained within a week: odds ${times} times ${rarity} than at its age.`;
  const status = marketEvidence >= EVIDENCE_MIN ? 'fail' : 'pass';
  return { ...check, status, value, reason, evidence };
};
