import { createHash } from 'node:crypto';
import type { BlockRef, Hex } from '../../shared/chain/block.ts';
import type { ScoreMessage } from '../../shared/messages/scoreMessage.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { Activity } from './activityStore.ts';
import type { TradeSimulation } from './checks/checkInput.ts';
import type { FeatureStore, PoolRow, TokenFacts, TokenProfileRow } from './featureStore.ts';
import type { Model } from './model/model.ts';
import type { PriceStore } from './priceStore.ts';
import type { BasePrices } from './pricing/basePrices.ts';
import { assembleVerdict, type ModelOutput } from './verdict/assembleVerdict.ts';
import { priorAtAge } from './verdict/priorAtAge.ts';
import { mainPool, modelFeatures, type ValuedPool, valuePool } from './verdict/tokenFeatures.ts';
import type { StoredVerdict, VerdictStore } from './verdictStore.ts';

/** A token's main pool, as a simulated trade needs it. */
export interface TradeRequest {
  readonly token: Hex;
  readonly pool: Hex;
  readonly baseToken: Hex;
}

export interface TokenScorerPorts {
  readonly features: FeatureStore;
  readonly prices: PriceStore;
  readonly model: Model;
  readonly verdicts: VerdictStore;
  /** Tries a purchase and a sale on each main pool; `unknown` where that cannot be done now. */
  readonly simulate: (requests: readonly TradeRequest[]) => Promise<TradeSimulation[]>;
  readonly clock: Clock;
}

/** What scoring a group of tokens gave. */
export interface ScoredGroup {
  readonly messages: readonly ScoreMessage[];
  /** Transfers on record, by token: how costly it is to score. */
  readonly transfers: ReadonlyMap<Hex, number>;
}

export interface TokenScorer {
  /** Scores tokens as of the last facts stored about them, and stores the verdicts. */
  score(chainId: number, activities: readonly Activity[]): Promise<ScoredGroup>;
}

/** One token with all that is known of it. */
interface Subject {
  readonly activity: Activity;
  readonly profile: TokenProfileRow;
  readonly pools: readonly ValuedPool[];
  readonly pool: ValuedPool | undefined;
  readonly asOf: BlockRef & { readonly timestampS: number };
  readonly vector: Float64Array;
}

const PREDICTED_AT_ONCE_MAX = 1_000;

/** The last block that touched the token: in its transfers, its pools, or at its creation. */
const lastTouch = (profile: TokenProfileRow, facts: TokenFacts, pools: readonly PoolRow[]) => {
  const holders = facts.holders.get(profile.address);
  const { created_block: number, created_hash: hash, created_at_s: timestampS } = profile;
  return [
    { number, hash, timestampS },
    ...(holders ? [touchOf(holders)] : []),
    ...pools.map(touchOf),
  ].reduce((last, touch) => (touch.number > last.number ? touch : last));
};

const touchOf = (row: { last_block: number; last_hash: Hex; last_at_s: number }) => ({
  number: row.last_block,
  hash: row.last_hash,
  timestampS: row.last_at_s,
});

const subjectsOf = (
  activities: readonly Activity[],
  facts: TokenFacts,
  prices: BasePrices,
): Subject[] =>
  activities.flatMap((activity) => {
    const profile = facts.profiles.get(activity.token);
    if (!profile) return [];
    const stored = facts.pools.get(activity.token) ?? [];
    const pools = stored.flatMap((row) => valuePool(row, prices) ?? []);
    const pool = mainPool(pools);
    const asOf = lastTouch(profile, facts, stored);
    return [{ activity, profile, pools, pool, asOf, vector: modelFeatures(pool, asOf.timestampS) }];
  });

const sha256 = (vector: Float64Array): string =>
  createHash('sha256')
    .update(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
    .digest('hex');

const ageOf = ({ pool, asOf }: Subject): number =>
  asOf.timestampS - (pool?.series.syncs[0]?.timestampS ?? asOf.timestampS);

export const createTokenScorer = (ports: TokenScorerPorts): TokenScorer => {
  const predict = async (subjects: readonly Subject[]): Promise<ModelOutput[]> => {
    const outputs: ModelOutput[] = [];
    for (let at = 0; at < subjects.length; at += PREDICTED_AT_ONCE_MAX) {
      const vectors = subjects.slice(at, at + PREDICTED_AT_ONCE_MAX).map(({ vector }) => vector);
      outputs.push(...(await ports.model.predict(vectors)));
    }
    return outputs;
  };

  const simulate = async (subjects: readonly Subject[]): Promise<Map<Hex, TradeSimulation>> => {
    const requests = subjects.flatMap(({ activity, pool }) =>
      pool
        ? [
            {
              token: activity.token,
              pool: pool.stored.pool_address,
              baseToken: pool.stored.base_token,
            },
          ]
        : [],
    );
    const simulations = await ports.simulate(requests);
    return new Map(
      requests.flatMap(({ token }, i) => {
        const simulation = simulations[i];
        return simulation ? [[token, simulation] as const] : [];
      }),
    );
  };

  const verdictOf = (
    chainId: number,
    subject: Subject,
    facts: TokenFacts,
    parts: { output: ModelOutput; simulation: TradeSimulation },
  ): StoredVerdict => {
    const { activity, profile, pools, pool, asOf, vector } = subject;
    return {
      chainId,
      token: activity.token,
      name: profile.name,
      symbol: profile.symbol,
      creator: profile.creator_address,
      createdAtS: profile.created_at_s,
      analyzedAtMs: ports.clock.now(),
      position: activity.position,
      verdict: assembleVerdict({
        chainId,
        token: activity.token,
        creator: profile.creator_address,
        creatorTokens: facts.creatorTokens.get(profile.creator_address) ?? [],
        codeHash: profile.code,
        holders: facts.holders.get(activity.token),
        pools,
        pool,
        modelFeatures: vector,
        featuresSha256: sha256(vector),
        model: ports.model,
        priorProbability: priorAtAge(ports.model.rugShareByAgeS, ageOf(subject)),
        asOf,
        ...parts,
      }),
    };
  };

  return {
    score: async (chainId, activities) => {
      const tokens = activities.map(({ token }) => token);
      const prices = await ports.prices.prices(chainId);
      const facts = await ports.features.read(chainId, tokens, [...prices.keys()]);
      const previous = await ports.verdicts.predictions(chainId, tokens);
      const subjects = subjectsOf(activities, facts, prices);
      const [outputs, simulations] = await Promise.all([predict(subjects), simulate(subjects)]);
      const verdicts = subjects.flatMap((subject, i) => {
        const output = outputs[i];
        if (!output) return [];
        const simulation = simulations.get(subject.activity.token) ?? NOT_SIMULATED;
        return [verdictOf(chainId, subject, facts, { output, simulation })];
      });
      await ports.verdicts.insert(verdicts);
      const gone = activities.filter(
        ({ token }) => !facts.profiles.has(token) && previous.has(token),
      );
      const position = Math.max(0, ...gone.map((activity) => activity.position));
      await ports.verdicts.bury(
        chainId,
        gone.map(({ token }) => token),
        position,
      );
      return {
        messages: verdicts.map((verdict) => messageOf(verdict, previous)),
        transfers: new Map([...facts.holders].map(([token, row]) => [token, row.transfers])),
      };
    },
  };
};

const NOT_SIMULATED: TradeSimulation = {
  kind: 'unknown',
  reason: 'The token has no pool to trade on.',
};

const messageOf = (
  stored: StoredVerdict,
  previous: ReadonlyMap<Hex, 'SCAM' | 'LEGIT'>,
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
  previousPrediction: previous.get(stored.token) ?? null,
  analyzedAtMs: stored.analyzedAtMs,
});
