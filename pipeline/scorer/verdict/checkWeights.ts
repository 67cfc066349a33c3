import type { Check } from '../../../shared/messages/verdictDoc.ts';

/** What one check adds to the log-odds, and what it counts for. */
export interface Weight {
  readonly logOdds: number;
  /**
   * `proof`: money is lost by buying. `accusation`: enough, beside other evidence, to call a token a
   * scam. `circumstance`: makes it likelier, never enough; honest projects have it too.
   */
  readonly kind: 'proof' | 'accusation' | 'circumstance';
}

/**
 * Log-odds of a failed check that is no proof: logarithms of how many times more often we expect it
 * among scams than among honest tokens. They are judgements, kept small where honest tokens are known
 * to fail: see `FunctionRole` for how many of them can be minted, paused or taxed.
 */
const FAILED: Readonly<Record<string, Weight>> = {
  sell_later: { logOdds: 3, kind: 'accusation' },
  known_scam_code: { logOdds: 1.8, kind: 'accusation' },
  sale_gas: { logOdds: 1.2, kind: 'accusation' },
  mint_power: { logOdds: 0.4, kind: 'circumstance' },
  confiscation_power: { logOdds: 0.8, kind: 'circumstance' },
  freeze_power: { logOdds: 0.8, kind: 'circumstance' },
  fee_power: { logOdds: 0.8, kind: 'circumstance' },
  blacklist_power: { logOdds: 0.5, kind: 'circumstance' },
  transfer_limits: { logOdds: 0.4, kind: 'circumstance' },
  trading_gate: { logOdds: 0.3, kind: 'circumstance' },
  pause_power: { logOdds: 0.3, kind: 'circumstance' },
  self_destruct: { logOdds: 0.7, kind: 'circumstance' },
  delegatecall: { logOdds: 0.4, kind: 'circumstance' },
  holder_concentration: { logOdds: 0.5, kind: 'circumstance' },
  // Its log-odds are those of the model, which are counted feature by feature.
  market_pattern: { logOdds: 0, kind: 'accusation' },
};

/** A check that passed speaks for the token only where scams would be found out by it. */
const PASSED: Readonly<Record<string, number>> = { sell_simulation: -0.8, owner_renounced: -0.2 };

/** The least that a failed critical check adds: the log-odds of 97 %. */
const PROOF_LOG_ODDS = Math.log(0.97 / 0.03);

/** A tax that buyers of honest tokens put up with, from one that is meant to keep their money. */
const GREEDY_TAX_MIN = 0.2;
const LIKENESS: Readonly<Record<string, number>> = { disguised: 3, sameChain: 2 };

const failedWeight = ({ id, value }: Check): Weight => {
  if (id === 'trade_tax') {
    return Number(value) >= GREEDY_TAX_MIN
      ? { logOdds: 1.8, kind: 'accusation' }
      : { logOdds: 0.3, kind: 'circumstance' };
  }
  if (id === 'look_alike') return { logOdds: LIKENESS[String(value)] ?? 0, kind: 'accusation' };
  return FAILED[id] ?? { logOdds: 0, kind: 'circumstance' };
};

/** What a check says in log-odds. Nothing where it could not run or only informs. */
export const weightOf = (check: Check): Weight => {
  const { id, status, severity, evidence } = check;
  if (status === 'pass') return { logOdds: PASSED[id] ?? 0, kind: 'circumstance' };
  if (status !== 'fail' || severity === 'info') return { logOdds: 0, kind: 'circumstance' };
  // What nobody can replay is no ground for an accusation.
  if (severity === 'critical' && evidence?.length)
    return { logOdds: PROOF_LOG_ODDS, kind: 'proof' };
  const weight = failedWeight(check);
  return evidence?.length ? weight : { ...weight, kind: 'circumstance' };
};
