import type { Hex } from '../../../shared/chain/block.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import { adviceOf, reasonsOf } from '../../../shared/rules/advice.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import type { CheckInput, TradeSimulation } from '../checks/checkInput.ts';
import type { KnownContract } from '../contract/contractCache.ts';
import type { CodeLabel } from '../contract/contractStore.ts';
import { type CreatorRecord, creatorRecord } from '../features/creatorRecord.ts';
import type { HoldersRow, TokenFacts } from '../features/featureStore.ts';
import { type WalletSeries, walletFeatures } from '../features/walletFeatures.ts';
import { horizonName, priorAtAge } from '../horizon/horizons.ts';
import type { PriorScamRates } from '../learning/learner.ts';
import type { Model } from '../model/model.ts';
import type { Launch } from '../pool/launchStore.ts';
import { assembleVerdict, type ModelOutput } from './assembleVerdict.ts';
import type { CodeOutput } from './decide.ts';
import { ageOf, type Subject } from './subjects.ts';
import type { LastVerdict, StoredVerdict } from './verdictStore.ts';

/** Everything that was found out about a batch of tokens. */
export interface Findings {
  readonly facts: TokenFacts;
  readonly outputs: ReadonlyMap<Hex, ModelOutput>;
  readonly simulations: ReadonlyMap<Hex, TradeSimulation>;
  readonly wallets: ReadonlyMap<Hex, WalletSeries>;
  readonly contracts: ReadonlyMap<Hex, KnownContract>;
  readonly codes: ReadonlyMap<Hex, CodeOutput>;
  readonly launches: ReadonlyMap<Hex, Launch>;
  /** Verdicts in force before. */
  readonly previous: ReadonlyMap<Hex, LastVerdict>;
}

/** Checks that accuse the code: copies of it are as guilty. Drained pools are not the code's fault. */
const CODE_CHECKS: ReadonlySet<string> = new Set([
  'sell_simulation',
  'tokens_delivered',
  'hidden_owner',
  'mint_power',
  'confiscation_power',
]);

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
    // Where the hook of a pool refuses sales, the token does nothing.
    const isHook = proofs.some(({ id }) => id === 'hook_power');
    const guilty = proofs.find(
      ({ id }) => CODE_CHECKS.has(id) && !(isHook && id === 'sell_simulation'),
    );
    const scamCheck = guilty?.id ?? '';
    if (scamCheck === contract.ownLabel) return [];
    return [{ token, profile: contract.profile, scamCheck }];
  });

/** The creator's pools from before the token had a market; undefined where it has none. */
const recordElsewhere = (
  { lives, creatorTokens }: TokenFacts,
  creator: Hex,
  token: Hex,
): CreatorRecord | undefined => {
  const own = lives.get(token) ?? [];
  if (own.length === 0) return undefined;
  const made = (creatorTokens.get(creator) ?? []).flatMap(
    ({ address }) => lives.get(address) ?? [],
  );
  return creatorRecord(made, Math.min(...own.map(({ firstSyncS }) => firstSyncS)));
};

/** The verdict on a subject, with what its row shows beside it; none where the model gave no output. */
export const verdictOf = (
  {
    chainId,
    model,
    priors,
    bases,
  }: { chainId: number; model: Model; priors: PriorScamRates; bases: readonly Hex[] },
  subject: Subject,
  { facts, outputs, simulations, wallets, contracts, codes, previous, launches }: Findings,
  analyzedAtMs: number,
): StoredVerdict[] => {
  const { request, profile, pool, asOf } = subject;
  const { token, position } = request;
  const { horizonS, atS: asOfS } = asOf;
  const output = outputs.get(token);
  if (!output) return [];
  const { creator_address: creator, name, symbol, created_at_s: createdAtS } = profile;
  const series = wallets.get(token);
  const verdict = assembleVerdict({
    chainId,
    subject,
    creatorTokens: (facts.creatorTokens.get(creator) ?? []).filter(
      ({ created_at_s: madeAtS }) => madeAtS <= asOfS,
    ),
    earlierPools: pool ? undefined : recordElsewhere(facts, creator, token),
    holders: facts.holders.get(token),
    spread: facts.spread.get(token),
    launch: launchOf(launches.get(token), facts.holders.get(token), creator),
    reported: series ? walletFeatures(series, asOfS) : {},
    model,
    output,
    code: codes.get(token),
    priorProbability: priorAtAge(model.rugShareByAgeS, ageOf(subject)),
    priorScamRate: pool ? priors.pooled : priors.others,
    bases,
    simulation: simulations.get(token) ?? NOT_SIMULATED,
    contract: contracts.get(token),
    trigger: triggerOf(subject, previous.has(token)),
  });
  const shown = { chainId, token, name, symbol, creator, createdAtS, analyzedAtMs };
  const holders = sharesOf(facts.holders.get(token));
  // Messages that are redelivered after a crash start from before what is in force.
  const isInForce = asOf.isLatest && position >= (previous.get(token)?.position ?? 0);
  return [{ ...shown, position, horizonS, asOfS, isInForce, verdict, holders }];
};

/** A launch in shares of all tokens; undefined where balances are not known. */
const launchOf = (
  launch: Launch | undefined,
  holders: HoldersRow | undefined,
  creator: Hex,
): CheckInput['launch'] => {
  if (!launch || !holders?.is_whole || !(holders.held > 0)) return undefined;
  const { bought, boughtByCreator, block, txHash } = launch;
  const share = (amount: number): number => Math.min(1, amount / holders.held);
  const own = holders.largest.find(([holder]) => holder === creator)?.[1] ?? 0;
  const shares = { sniped: share(bought), byCreator: share(boughtByCreator), creator: share(own) };
  return { ...shares, block, txHash };
};

/** Who holds most, as shares of what is held. */
const sharesOf = (row: HoldersRow | undefined): StoredVerdict['holders'] =>
  row ? row.largest.map(([holder, amount]) => [holder, amount / row.held]) : [];

/** What made the verdict due. */
const triggerOf = ({ request, asOf }: Subject, isKnown: boolean): string => {
  if (asOf.horizonS > 0) return horizonName(asOf.horizonS);
  if (request.isRequested) return 'request';
  return isKnown ? 'event' : 'birth';
};

const NOT_SIMULATED: TradeSimulation = {
  kind: 'unknown',
  reason: sentence('noPoolToTrade'),
};

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
