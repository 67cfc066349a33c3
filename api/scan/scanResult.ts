import { adviceOf, adviceSentence } from '../../shared/rules/advice.ts';
import { riskLevel } from '../../shared/rules/riskLevel.ts';
import type { Language } from '../../shared/sentences/language.ts';
import { sentence } from '../../shared/sentences/sentence.ts';
import { writeSentence } from '../../shared/sentences/writeSentence.ts';
import { checksIn } from '../reports/explanation.ts';
import { address, z } from '../server/schema.ts';
import { reasonsIn } from '../tokens/present.ts';
import type { Verdict } from '../tokens/verdict.ts';
import { factorText, WALLET_MESSAGES } from '../wallets/factorText.ts';
import type { Wallet } from '../wallets/wallet.ts';

/** Severity in the words that wallets show. */
const RESULT_TYPES = ['Malicious', 'Warning', 'Benign', 'Info'] as const;
type ResultType = (typeof RESULT_TYPES)[number];

export const scanResultSchema = z
  .object({
    address,
    result_type: z.enum(RESULT_TYPES).openapi({
      description:
        'Malicious: a scam, or a known scammer. Warning: not clearly honest. Benign: nothing was found, which is no guarantee. Info: not analysed yet',
    }),
    reason: z.string().openapi({
      description:
        'The check or rule that decided; `not_analyzed` for unknown addresses; empty if nothing was found',
    }),
    description: z.string().openapi({ description: 'The conclusion, in a sentence' }),
    malicious_score: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .openapi({ description: 'Risk score as a fraction of one; null for unknown addresses' }),
    features: z
      .array(
        z.object({
          feature_id: z.string().openapi({ description: 'Name of the check or rule' }),
          type: z.enum(RESULT_TYPES),
          description: z.string(),
        }),
      )
      .openapi({ description: 'What was found' }),
    metadata: z
      .object({ name: z.string(), symbol: z.string() })
      .nullable()
      .openapi({ description: 'Text chosen by the creator of the token; null for wallets' }),
  })
  .openapi('ScanResult', { description: 'A token or wallet in the form that wallets show' });
export type ScanResult = z.output<typeof scanResultSchema>;

const RISK_MAX = 100;
const score = (riskScore: number): number => Math.round(riskScore * RISK_MAX) / RISK_MAX ** 2;

const BY_ADVICE = { avoid: 'Malicious', wait: 'Warning', no_finding: 'Benign' } as const;

/** A token: its advice decides, and its failed checks are the features. */
export const scanOfToken = (verdict: Verdict, language: Language): ScanResult => {
  const { advice } = adviceOf(verdict);
  const typeOf = (severity: string): ResultType => {
    if (severity === 'info') return 'Info';
    return severity === 'critical' ? 'Malicious' : 'Warning';
  };
  const [reason] = reasonsIn(verdict, language);
  return {
    address: verdict.token,
    result_type: BY_ADVICE[advice],
    reason: advice === 'no_finding' ? '' : (reason?.check ?? 'risk_score'),
    description: writeSentence(adviceSentence(verdict), language),
    malicious_score: score(verdict.riskScore),
    features: checksIn(verdict.doc, language)
      .filter(({ status }) => status === 'fail')
      .map((check) => ({
        feature_id: check.id,
        type: typeOf(check.severity),
        description: check.reason,
      })),
    metadata: { name: verdict.name, symbol: verdict.symbol },
  };
};

const typeOfWallet = (wallet: Wallet): ResultType => {
  const level = riskLevel(Math.round(wallet.riskScore));
  if (wallet.isKnownScammer || level === 'CRITICAL') return 'Malicious';
  return level === 'HIGH' ? 'Warning' : 'Benign';
};

/**
 * A wallet: known scammers and those of critical risk are malicious; what lowered the reputation are the features.
 */
export const scanOfWallet = (wallet: Wallet, language: Language): ScanResult => {
  const type = typeOfWallet(wallet);
  const worst = wallet.reputation.factors
    .filter(({ contribution }) => contribution < 0)
    .toSorted((a, b) => a.contribution - b.contribution);
  const reason = wallet.isKnownScammer ? 'known_scammer' : (worst[0]?.id ?? 'risk_score');
  return {
    address: wallet.address,
    result_type: type,
    reason: type === 'Benign' ? '' : reason,
    description:
      type === 'Benign'
        ? writeSentence(sentence('noFinding'), language)
        : WALLET_MESSAGES.say(language, 'made', {
            made: wallet.tokensCreated,
            scams: wallet.scams,
          }),
    malicious_score: score(wallet.riskScore),
    features: worst.map((factor) => ({
      feature_id: factor.id,
      type: type === 'Malicious' ? 'Malicious' : 'Warning',
      description: factorText(wallet, factor, language),
    })),
    metadata: null,
  };
};

/** An unknown address: neither good nor bad. */
export const scanOfUnknown = (unknown: ScanResult['address'], language: Language): ScanResult => ({
  address: unknown,
  result_type: 'Info',
  reason: 'not_analyzed',
  description: WALLET_MESSAGES.say(language, 'notAnalyzed'),
  malicious_score: null,
  features: [],
  metadata: null,
});
