import { riskLevel } from '../../shared/rules/riskLevel.ts';
import type { Language } from '../../shared/sentences/language.ts';
import { scamShareOf, type Wallet } from '../wallets/wallet.ts';
import { recommendationOf } from './composeTokenReport.ts';
import type { ReportDoc, SectionId } from './report.ts';
import { isPhrase, say } from './say.ts';

/** A wallet is judged by its tokens; without any, there is no basis for confidence. */
const verdictOf = (wallet: Wallet): ReportDoc['verdict'] => ({
  is_rug: null,
  prediction: wallet.isKnownScammer ? 'SCAM' : 'LEGIT',
  confidence: wallet.reputation.confidence,
  risk_score: wallet.riskScore,
  risk_level: riskLevel(wallet.riskScore),
  recommendation: recommendationOf({ is_rug: wallet.isKnownScammer, risk_score: wallet.riskScore }),
});

const roleIn = (role: string, language: Language): string => {
  const phrase = `role_${role}`;
  return say(language, isPhrase(phrase) ? phrase : 'role_unknown');
};

/** A wallet's role in its network, in words; in English it is the stored word. */
export const roleText = (role: string, language: Language): string =>
  language === 'en' ? role : roleIn(role, language);

const headline = (wallet: Wallet, language: Language): string =>
  say(language, 'walletRisk', {
    risk: wallet.riskScore,
    level: say(language, `level${riskLevel(wallet.riskScore)}`),
  });

const linesOf = (wallet: Wallet, language: Language): Partial<Record<SectionId, string[]>> => ({
  verdict: [headline(wallet, language), say(language, `advise${verdictOf(wallet).recommendation}`)],
  evidence: [
    say(language, 'walletTokens', { n: wallet.tokensCreated, share: scamShareOf(wallet) }),
    say(language, 'walletStolen', { usd: wallet.stolenUsd }),
    say(language, 'victims', { n: wallet.victims }),
  ],
  network: [
    say(language, 'walletRole', { role: roleIn(wallet.role, language) }),
    wallet.clusterId === null
      ? say(language, 'noRing')
      : say(language, 'ring', { id: wallet.clusterId }),
  ],
  timeline: [
    say(language, 'seen', {
      first: wallet.firstSeenS * 1000,
      last: wallet.lastActivityS * 1000,
    }),
  ],
  limitations: [say(language, 'unknownIsUnknown'), say(language, 'notAdvice')],
});

/** A report on a wallet. Sections about tokens are left out. */
export const composeWalletReport = (
  wallet: Wallet,
  language: Language,
  sections: readonly SectionId[],
): ReportDoc => {
  const lines = linesOf(wallet, language);
  return {
    v: 1,
    subject: 'wallet',
    language,
    title: say(language, 'walletTitle', { address: wallet.address }),
    verdict: verdictOf(wallet),
    summary: [headline(wallet, language), ...(lines.evidence ?? [])].join(' '),
    sections: sections.flatMap((id) => {
      const own = lines[id];
      return own ? [{ id, title: say(language, `section_${id}`), lines: own }] : [];
    }),
    provenance: null,
  };
};
