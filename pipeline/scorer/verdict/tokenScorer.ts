import type { Hex } from '../../../shared/chain/block.ts';
import type { ScoreMessage } from '../../../shared/messages/scoreMessage.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { CHECKS } from '../checks/checks.ts';
import type { ContractCache, KnownContract } from '../contract/contractCache.ts';
import type { CodeLabel } from '../contract/contractStore.ts';
import { holderShares } from '../features/holderStore.ts';
import { horizonName } from '../horizon/horizons.ts';
import type { Activity } from '../ingest/activityStore.ts';
import type { PriorScamRates } from '../learning/learner.ts';
import type { MarketModels } from '../learning/modelChoice.ts';
import { assembleVerdict, type Findings, type ScoringContext } from './assembleVerdict.ts';
import { type EvidencePorts, gatherEvidence } from './gatherEvidence.ts';
import type { LastVerdict } from './lastVerdicts.ts';
import {
  readSubjects,
  type ScoringRequest,
  type StoredBlock,
  type Subject,
  type SubjectPorts,
} from './readSubjects.ts';
import { messageOf, type VerdictOutbox } from './verdictOutbox.ts';
import type { StoredVerdict, VerdictStore } from './verdictStore.ts';

export interface TokenScorerPorts extends SubjectPorts, EvidencePorts {
  readonly chainId: number;
  /** The models of markets in force. */
  readonly models: () => Promise<MarketModels>;
  readonly priors: () => Promise<PriorScamRates>;
  /** The wrapped native coin, then the stablecoins in which tokens are priced. */
  readonly bases: readonly Hex[];
  readonly verdicts: Pick<VerdictStore, 'last' | 'insert' | 'insertTombstones'>;
  readonly contracts: ContractCache;
  readonly outbox: VerdictOutbox;
  /** Counts verdicts that were stored. */
  readonly count?: (verdicts: readonly StoredVerdict[]) => void;
  readonly clock: Clock;
}

/** Result of scoring tokens. */
interface ScoredTokens {
  /** Number of recorded transfers, by token: the cost of scoring it. */
  readonly transfers: ReadonlyMap<Hex, number>;
  /** Tokens that have no verdict yet: there was no time to read their contracts. */
  readonly postponed: ReadonlySet<Hex>;
}

/** Computed verdicts that are not stored yet. */
export interface ScoredBatch extends ScoredTokens {
  readonly verdicts: readonly StoredVerdict[];
  /** The verdicts that they replace. */
  readonly last: ReadonlyMap<Hex, LastVerdict>;
  /** The messages for those in force. */
  readonly messages: readonly ScoreMessage[];
  readonly codeLabels: readonly CodeLabel[];
  /** Tokens that a reorg removed. */
  readonly deleted: readonly Activity[];
}

export interface TokenScorer {
  /**
   * Publishes verdicts that were stored before a crash or a failure and not published. `score` begins with it; on its
   * own it is for times when there is nothing to score.
   */
  flush(): Promise<void>;
  /**
   * Computes verdicts, stores them and publishes the recent ones. The same facts give the same verdict at any time.
   * Each token is in a batch once; one batch at a time.
   * @param stored last block whose facts are stored in full
   */
  score(requests: readonly ScoringRequest[], stored: StoredBlock): Promise<ScoredTokens>;
}

/** What made the verdict due. */
const triggerOf = ({ request, asOf }: Subject, isKnown: boolean): string => {
  if (asOf.horizonS > 0) return horizonName(asOf.horizonS);
  if (request.isRequested) return 'request';
  return isKnown ? 'event' : 'birth';
};

/** The verdict on a subject, with the additional columns of its row; none if the model gave no output. */
const verdictOf = (
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
  const holders = holderShares(findings.facts.holders.get(token));
  // Messages that are redelivered after a crash start from before the verdict in force.
  const isInForce = asOf.isLatest && position >= (last?.position ?? 0);
  return [{ ...shown, ...times, position, isInForce, verdict, holders }];
};

/** New labels of codes: the first critical check that accuses the code, else none. */
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

/** Reads the data of the tokens and computes their verdicts. Stores nothing. */
const makeVerdicts = async (
  ports: TokenScorerPorts,
  requests: readonly ScoringRequest[],
  stored: StoredBlock,
): Promise<ScoredBatch> => {
  const { chainId, bases, clock } = ports;
  const tokens = requests.map(({ token }) => token);
  const [{ facts, subjects: found }, profiles, last, models, priors] = await Promise.all([
    readSubjects(ports, chainId, requests, stored),
    ports.contracts.read(chainId, tokens),
    ports.verdicts.last(chainId, tokens),
    ports.models(),
    ports.priors(),
  ]);
  const asked = { subjects: found, facts, models, profiles };
  const { subjects, postponed, ...evidence } = await gatherEvidence(ports, chainId, asked, stored);
  const previous = new Map([...last].filter(([, { isDeleted }]) => !isDeleted));
  const findings = { ...evidence, facts, previous };
  const verdicts = subjects.flatMap((subject) =>
    verdictOf({ chainId, ...models, priors, bases }, subject, findings, clock.now()),
  );
  const inForce = verdicts.filter(({ isInForce }) => isInForce);
  return {
    verdicts,
    last,
    messages: inForce.map((verdict) => messageOf(verdict, previous)),
    codeLabels: codeLabelsOf(inForce, findings.contracts),
    deleted: requests.filter(({ token, horizon }) => !horizon && !facts.profiles.has(token)),
    transfers: new Map([...facts.holders].map(([token, row]) => [token, row.transfers])),
    postponed,
  };
};

/** Stores a batch and publishes it, after what an earlier one left unpublished. */
export const storeBatch = async (
  {
    chainId,
    verdicts,
    contracts,
    outbox,
    count,
  }: Pick<TokenScorerPorts, 'chainId' | 'verdicts' | 'outbox' | 'count'> & {
    readonly contracts: Pick<ContractCache, 'label'>;
  },
  makeBatch: () => Promise<ScoredBatch>,
): Promise<ScoredBatch> => {
  // First: a verdict states its change from the last published one.
  await outbox.flush();
  const batch = await makeBatch();
  // Before the verdicts: a token that has its verdict is not scored again after a crash.
  await contracts.label(chainId, batch.codeLabels);
  await outbox.publish(batch.messages, async (messages) => {
    await verdicts.insert(batch.verdicts, messages, batch.last);
    count?.(batch.verdicts);
  });
  await verdicts.insertTombstones(
    chainId,
    batch.deleted.map(({ token }) => token),
    Math.max(0, ...batch.deleted.map(({ position }) => position)),
  );
  return batch;
};

export const createTokenScorer = (ports: TokenScorerPorts): TokenScorer => ({
  flush: () => ports.outbox.flush(),
  score: (requests, stored) => storeBatch(ports, () => makeVerdicts(ports, requests, stored)),
});
