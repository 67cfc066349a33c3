import type { Hex } from '../../../shared/chain/block.ts';
import type { VerdictDoc } from '../../../shared/messages/verdictDoc.ts';
import type { CheckInput, TradeSimulation } from '../checks/checkInput.ts';
import { runChecks } from '../checks/checks.ts';
import { FEATURE_NAMES } from '../features/featureNames.ts';
import { type CreatorHistory, creatorHistory } from './creatorHistory.ts';
import { type Decision, decide } from './decide.ts';
import {
  type HeadlineFeatures,
  headlineFeatures,
  type StoredHolders,
  type ValuedPool,
} from './tokenFeatures.ts';

/** What the model said of a token's main pool. */
export interface ModelOutput {
  readonly margin: number;
  readonly probability: number;
  readonly baseValue: number;
  readonly contributions: Readonly<Record<string, number>>;
}

/** Everything a verdict rests on. */
export interface VerdictInput {
  readonly chainId: number;
  readonly token: Hex;
  readonly creator: Hex;
  readonly creatorTokens: readonly { readonly address: Hex; readonly is_scam: number }[];
  readonly codeHash: Hex;
  readonly holders: StoredHolders | undefined;
  readonly pools: readonly ValuedPool[];
  readonly pool: ValuedPool | undefined;
  readonly modelFeatures: Float64Array;
  readonly featuresSha256: string;
  readonly model: { readonly name: string; readonly sha256: string };
  readonly output: ModelOutput;
  readonly priorProbability: number;
  readonly simulation: TradeSimulation;
  /** The last block that touched the token: the verdict is as of it. */
  readonly asOf: { readonly number: number; readonly hash: Hex };
}

/** A verdict, ready to be stored and shown. */
export interface Verdict extends Decision {
  readonly riskScore: number;
  readonly doc: VerdictDoc;
}

const HEADLINE_COUNT = 5;
const RISK_DECIMALS = 100;

const observed = (features: Float64Array): Record<string, number> =>
  Object.fromEntries(
    FEATURE_NAMES.flatMap((name, i) => {
      const value = features[i];
      return value !== undefined && Number.isFinite(value) ? [[name, value]] : [];
    }),
  );

/** Share of all features, the headline ones included, that were observed. */
const coverageOf = (input: VerdictInput, observedCount: number): number => {
  const headline =
    (input.holders ? 3 : 0) + (input.pool ? 1 : 0) + (input.creatorTokens.length > 0 ? 1 : 0);
  return (headline + observedCount) / (HEADLINE_COUNT + FEATURE_NAMES.length);
};

const checkInput = (input: VerdictInput, headline: HeadlineFeatures): CheckInput => ({
  token: input.token,
  pool: input.pool,
  modelProbability: input.output.probability,
  priorProbability: input.priorProbability,
  topTenConcentration: headline.top_10_concentration,
  holderCount: headline.holder_count,
  simulation: input.simulation,
});

/** Only what moved the margin is kept: a feature without influence explains nothing. */
const contributionsOf = ({ output }: VerdictInput): Record<string, number> =>
  Object.fromEntries(Object.entries(output.contributions).filter(([, value]) => value !== 0));

const provenanceOf = (input: VerdictInput, coverage: number): VerdictDoc['provenance'] => ({
  chain_id: input.chainId,
  block_number: input.asOf.number,
  block_hash: input.asOf.hash,
  bytecode_hash: input.codeHash,
  model: input.model.name,
  model_sha256: input.model.sha256,
  features_sha256: input.featuresSha256,
  coverage: Math.min(1, coverage),
});

/** Puts features, model and checks together. Pure: the same input gives the same verdict. */
export const assembleVerdict = (input: VerdictInput): Verdict => {
  const creator: CreatorHistory = creatorHistory(input.creator, input.token, input.creatorTokens);
  const headline = headlineFeatures({
    holders: input.holders,
    pools: input.pools,
    creatorRiskScore: creator.risk_score,
  });
  const checks = runChecks(checkInput(input, headline));
  const decision = decide(input.output.probability, checks);
  const market = observed(input.modelFeatures);
  return {
    ...decision,
    riskScore: Math.round(100 * decision.probability * RISK_DECIMALS) / RISK_DECIMALS,
    doc: {
      v: 1,
      features: { ...headline, ...market },
      shap_values: contributionsOf(input),
      base_value: input.output.baseValue,
      margin: input.output.margin,
      probability: decision.probability,
      creator,
      checks,
      provenance: provenanceOf(input, coverageOf(input, Object.keys(market).length)),
    },
  };
};
