import type { Hex } from '../../../shared/chain/block.ts';
import {
  type BurnFact,
  type Fact,
  type MarketFact,
  type MintFact,
  type SwapFact,
  type SyncFact,
  type TransferFact,
} from '../../../shared/chain/fact.ts';
import { groupBy } from '../../../shared/platform/groupBy.ts';

/** Raw units of both tokens of a pool. Doubles: 15 digits are enough for shares and dollars. */
export interface Amounts {
  readonly amount0: number;
  readonly amount1: number;
}

/** Value of a pool: output of a sale of the whole supply of either token, raw units. */
export interface Depth extends Amounts {
  /** Price of token0 in token1, raw units, if the amounts do not give it: null is unknown. */
  readonly price?: number | null;
}

/** One change of a pool's reserves. */
export interface PoolStep {
  readonly txHash: Hex;
  readonly logIndex: number;
  /** `sync` if the log that explains the change is missing. */
  readonly kind: 'swap' | 'mint' | 'burn' | 'sync';
  readonly reserves: Depth;
  /** Reserves before the change, as far as its log shows; null for a bare Sync. */
  readonly before: Depth | null;
  /** What entered the pool, and what left it. */
  readonly received: Amounts;
  readonly paid: Amounts;
  /** Who gave liquidity shares or tokens to the pool in this transaction, and who was paid. */
  readonly wallets: readonly Hex[];
}

type Explanation = SwapFact | MintFact | BurnFact;
type Event = SyncFact | Explanation;

export const NOTHING: Amounts = { amount0: 0, amount1: 0 };

/**
 * The changes of each pool in a block, in order. Uniswap V2 emits `Sync` with the reserves after a
 * change, then the `Mint`, `Burn` or `Swap` that says what changed (UniswapV2Pair.sol); so does Solidly.
 */
export const poolSteps = (
  facts: readonly Fact[],
  isOurs: (fact: MarketFact) => boolean,
): Map<Hex, PoolStep[]> => {
  const events = facts.filter((fact): fact is Event => isEvent(fact) && isOurs(fact));
  const explanations = explainSyncs(events);
  const transfers = transfersTo(facts, events);
  const syncs = events.filter((fact) => fact.kind === 'sync');
  return groupBy(
    syncs,
    ({ pool }) => pool,
    (sync) => toStep(sync, explanations.get(sync), transfers),
  );
};

const isEvent = (fact: Fact): fact is Event =>
  fact.kind === 'sync' || fact.kind === 'swap' || fact.kind === 'mint' || fact.kind === 'burn';

const explainSyncs = (events: readonly Event[]): Map<SyncFact, Explanation> => {
  const open = new Map<Hex, SyncFact>();
  const explanations = new Map<SyncFact, Explanation>();
  for (const fact of events) {
    if (fact.kind === 'sync') {
      open.set(fact.pool, fact);
      continue;
    }
    const sync = open.get(fact.pool);
    if (sync?.txHash === fact.txHash) explanations.set(sync, fact);
    open.delete(fact.pool);
  }
  return explanations;
};

const transferKey = (txHash: Hex, to: Hex): string => `${txHash}${to}`;

/** Token transfers of transactions that involve a pool, by transaction and recipient. */
const transfersTo = (
  facts: readonly Fact[],
  events: readonly Event[],
): Map<string, TransferFact[]> => {
  const touching = new Set<Hex>();
  for (const fact of events) {
    if (fact.kind === 'sync') touching.add(fact.txHash);
  }
  const transfers = facts
    .filter((fact) => fact.kind === 'transfer')
    .filter(({ txHash }) => touching.has(txHash));
  return groupBy(transfers, ({ txHash, to }) => transferKey(txHash, to));
};

const toStep = (
  sync: SyncFact,
  explanation: Explanation | undefined,
  transfers: ReadonlyMap<string, readonly TransferFact[]>,
): PoolStep => {
  const reserves = { amount0: Number(sync.reserve0), amount1: Number(sync.reserve1) };
  const place = { txHash: sync.txHash, logIndex: sync.logIndex, reserves };
  if (!explanation) {
    return { ...place, kind: 'sync', before: null, received: NOTHING, paid: NOTHING, wallets: [] };
  }
  const change = changeOf(explanation);
  const givers = transfers.get(transferKey(sync.txHash, sync.pool)) ?? [];
  const wallets = new Set(givers.map(({ from }) => from));
  if (explanation.kind !== 'mint') wallets.add(explanation.to);
  return {
    ...place,
    kind: explanation.kind,
    before: {
      amount0: reserves.amount0 - change.received.amount0 + change.paid.amount0,
      amount1: reserves.amount1 - change.received.amount1 + change.paid.amount1,
    },
    received: change.received,
    paid: change.paid,
    wallets: [...wallets],
  };
};

const changeOf = (fact: Explanation): { received: Amounts; paid: Amounts } => {
  if (fact.kind === 'swap') {
    return {
      received: { amount0: Number(fact.amount0In), amount1: Number(fact.amount1In) },
      paid: { amount0: Number(fact.amount0Out), amount1: Number(fact.amount1Out) },
    };
  }
  const amounts = { amount0: Number(fact.amount0), amount1: Number(fact.amount1) };
  return fact.kind === 'mint'
    ? { received: amounts, paid: NOTHING }
    : { received: NOTHING, paid: amounts };
};
