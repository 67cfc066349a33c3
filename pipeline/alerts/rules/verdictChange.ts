import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';

import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import { adviceOf } from '../../../shared/rules/advice.ts';
import type { Finding, Rule } from './rule.ts';

/** Found in verdicts: `verdictChange`. */
export const verdictRule: Rule = {
  type: 'verdict_change',
  isOfMessages: true,
  threshold: ({ min_confidence: confidence }) => confidence,
  looksAt: 'verdicts',
  strength: 'confidence (`min_confidence`)',
  presets: '0.95 / 0.85 / 0.70',
  severity: 'to SCAM critical SELL_IMMEDIATELY, to LEGIT info MONITOR',
  notDetected: 'first verdicts',
};

/**
 * The prediction of a token reversed. Watchers of its creator are alerted as well. A first verdict is no change. The
 * log index encodes the direction, so that a verdict may reverse twice at one block.
 */
export const verdictChange = (message: ScoreMessage, creator: Hex | undefined): Finding | null => {
  const { token, prediction, previousPrediction, confidence, riskScore, blockNumber } = message;
  if (previousPrediction === null || previousPrediction === prediction) return null;
  const isScam = prediction === 'SCAM';
  return {
    type: 'verdict_change',
    token,
    wallets: creator ? [creator] : [],
    strength: confidence,
    severity: isScam ? 'critical' : 'info',
    recommendation: isScam ? 'SELL_IMMEDIATELY' : 'MONITOR',
    details: {
      previous_prediction: previousPrediction,
      new_prediction: prediction,
      confidence,
      risk_score: riskScore,
      ...adviceOf(message),
      tx_hash: null,
      block_number: blockNumber,
    },
    txHash: ZERO_HASH,
    logIndex: isScam ? 1 : 0,
  };
};
