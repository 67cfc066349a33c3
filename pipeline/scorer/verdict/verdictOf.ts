import type { Hex } from '../../../shared/chain/block.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import { adviceOf, reasonsOf } from '../../../shared/rules/advice.ts';
import { CHECKS } from '../checks/checks.ts';
import type { KnownContract } from '../contract/contractCache.ts';
import type { CodeLabel } from '../contract/contractStore.ts';
import type { HoldersRow } from '../features/featureStore.ts';
import { horizonName } from '../horizon/horizons.ts';
import { assembleVerdict, type Findings, type ScoringContext } from './assembleVerdict.ts';
import type { Subject } from './readSubjects.ts';
import type { LastVerdict, StoredVerdict } from './verdictStore.ts';

/** What is now known of codes and was not: guilty of the first critical check that accuses the code, else of none. */
export const codeLabelsOf = (
  made: readonly StoredVerdict[],
  contracts: ReadonlyMap<Hex, KnownContract>,
): CodeLabel[] =>
  made.flatMap(({ token, verdict }) => {
    const contract = contracts.get(token);
    if (!contract) return [];
    const proofs = verdict.doc.checks.filter(
      ({ status, severity }) => status === 'fail' && severity === 'critical',
    );
    const excused = new Set(proofs.map(({ id }) => CHECKS.get(id)?.excuses));
    const guilty = proofs.find(({ id }) => CHECKS.get(id)?.accusesCode && !excused.has(id));
    const scamCheck = guilty?.id ?? '';
    if (scamCheck === contract.ownLabel) return [];
    return [{ token, profile: contract.profile, scamCheck }];
  });

/** What made the verdict due. */
const triggerOf = ({ request, asOf }: Subject, isKnown: boolean): string => {
  if (asOf.horizonS > 0) return horizonName(asOf.horizonS);
  if (request.isRequested) return 'request';
  return isKnown ? 'event' : 'birth';
};

/** The verdict on a subject, with what its row shows beside it; none where the model gave no output. */
export const verdictOf = (
  context: ScoringContext,
  subject: Subject,
  { previous, ...findings }: Findings & { readonly previous: ReadonlyMap<Hex, LastVerdict> },
  analyzedAtMs: number,
): StoredVerdict[] => {
  const { request, profile, asOf } = subject;
  const { token, position } = request;
  const last = previous.get(token);
  const output = findings.outputs.get(token);
  if (!output) return [];
  const { creator_address: creator, name, symbol, created_at_s: createdAtS } = profile;
  const shown = { chainId: context.chainId, token, name, symbol, creator, createdAtS };
  const times = { analyzedAtMs, horizonS: asOf.horizonS, asOfS: asOf.atS };
  const trigger = triggerOf(subject, last !== undefined);
  const verdict = assembleVerdict(context, subject, findings, { output, trigger });
  const holders = sharesOf(findings.facts.holders.get(token));
  // Messages that are redelivered after a crash start from before what is in force.
  const isInForce = asOf.isLatest && position >= (last?.position ?? 0);
  return [{ ...shown, ...times, position, isInForce, verdict, holders }];
};

/** Who holds most, as shares of what is held. */
const sharesOf = (row: HoldersRow | undefined): StoredVerdict['holders'] =>
  row ? row.largest.map(([holder, amount]) => [holder, amount / row.held]) : [];

/** What is published of a verdict. */
export const messageOf = (
  stored: StoredVerdict,
  previous: ReadonlyMap<Hex, LastVerdict>,
): ScoreMessage => ({
  v: 1,
  chainId: stored.chainId,
  token: stored.token,
  name: stored.name,
  symbol: stored.symbol,
  blockNumber: stored.verdict.doc.provenance.block_number,
  blockHash: stored.verdict.doc.provenance.block_hash as Hex,
  prediction: stored.verdict.prediction,
  confidence: stored.verdict.confidence,
  riskScore: stored.verdict.riskScore,
  previousPrediction: previous.get(stored.token)?.prediction ?? null,
  previousConfidence: previous.get(stored.token)?.confidence ?? null,
  previousRiskScore: previous.get(stored.token)?.riskScore ?? null,
  analyzedAtMs: stored.analyzedAtMs,
  reasons: reasonsOf(stored.verdict.doc, adviceOf(stored.verdict).advice).map(
    ({ reason }) => reason,
  ),
});
