import { sentence } from '../../../shared/sentences/sentence.ts';
import { keccakOf } from '../simulation/evmCode.ts';
import type { CheckInput } from './checkInput.ts';
import type { CheckResult } from './checkResult.ts';
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
export const marketPattern = ({
  pool,
  modelProbability,
  marketEvidence,
}: CheckInput): CheckResult => {
  const check = { id: 'market_pattern', severity: 'warning' } as const;
  if (!pool) {
    return {
      ...check,
      status: 'unknown',
      reason: sentence('noPoolForModel'),
    };
  }
  const value = Math.round(modelProbability * 10_000) / 10_000;
  const { pool_address, last_block } = pool.stored;
  const evidence = [
    {
      kind: 'address' as const,
      ref: pool_address,
      note: sentence('syncLogs', { block: String(last_block) }),
      request: logsRequest(pool_address, SYNC_TOPIC, last_block),
    },
  ];
  const reason = sentence(marketEvidence >= 0 ? 'drainedMoreOften' : 'drainedLessOften', {
    share: Math.round(modelProbability * 100) / 100,
    times: Math.round(Math.exp(Math.abs(marketEvidence)) * 10) / 10,
  });
  const status = marketEvidence >= EVIDENCE_MIN ? 'fail' : 'pass';
  return { ...check, status, value, reason, evidence };
};
