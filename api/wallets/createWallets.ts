import type { Hex } from '../../shared/chain/block.ts';
import type { Database } from '../../shared/platform/clickhouse.ts';
import { creatorRisk, isKnownScammer } from '../../shared/rules/creatorRecord.ts';
import { joinLookups } from '../server/sharedReads.ts';
import {
  type CreatorSummary,
  createdScams,
  createdTokens,
  creatorSummaries,
} from './creatorQueries.ts';
import { creatorHistory, creatorReputation } from './creatorReputation.ts';
import { storedScams, storedSteps, storedWallets } from './queries.ts';
import type { Behaviour, Wallet, Wallets } from './wallet.ts';
import { type NativeReceipt, nativeReceipts, walletTokens } from './walletTokens.ts';

const NOTHING_MADE: CreatorSummary = {
  tokens: 0,
  scored: 0,
  scams: 0,
  firstAtS: 0,
  lastAtS: 0,
  scoredAtMs: 0,
};

const behavioursOf = ({ tokens, scams }: CreatorSummary): Behaviour[] => [
  ...(tokens > 0 ? [{ id: 'tokens_created', text: 'Created a token', count: tokens }] : []),
  ...(scams > 0
    ? [{ id: 'tokens_flagged', text: 'Created a token judged a scam', count: scams }]
    : []),
];

/** A wallet derived from facts and verdicts, if the cluster detector has no row for it. */
const derivedWallet = (
  address: Hex,
  made: CreatorSummary,
  received: { oldest: readonly NativeReceipt[]; newest: readonly NativeReceipt[] },
): Wallet => {
  const first = received.oldest[0];
  const last = received.newest[0];
  const starts = [first?.atS, made.tokens > 0 ? made.firstAtS : undefined];
  const senders = new Set([...received.oldest, ...received.newest].map(({ from }) => from));
  const lastActivityS = Math.max(last?.atS ?? 0, made.lastAtS);
  return {
    address,
    role: made.tokens > 0 ? 'creator' : 'unknown',
    isKnownScammer: isKnownScammer(made),
    riskScore: creatorRisk(made),
    tokensCreated: made.tokens,
    scams: made.scams,
    stolenUsd: 0,
    victims: 0,
    clusterId: null,
    firstSeenS: Math.min(...starts.filter((atS) => atS !== undefined)),
    lastActivityS,
    reputation: creatorReputation(made),
    // The signer of a transaction that moves native currency has a private key, so it is not a contract.
    funding: first ? { address: first.from, kind: 'wallet', txHash: first.txHash } : null,
    behaviours: behavioursOf(made),
    medianTokenLifetimeH: null,
    counterparties: senders.size,
    updatedAtMs: Math.max(made.scoredAtMs, lastActivityS * 1000),
  };
};

/** Look-ups of single wallets: number of concurrent queries, and wallets per query, tuned for a few cores. */
const LOOKUPS = { queriesMax: 2, keysMax: 64 };

/** Wallets from the cluster detector's rows, else from facts and verdicts. */
export const createWallets = (database: Database, chainId: number): Wallets => {
  const findStored = joinLookups(async (addresses: readonly Hex[]) => {
    const stored = await storedWallets(database, chainId, addresses);
    return new Map(stored.map((wallet) => [wallet.address, wallet]));
  }, LOOKUPS);
  const findSummary = joinLookups(
    (addresses: readonly Hex[]) => creatorSummaries(database, chainId, addresses),
    LOOKUPS,
  );
  return {
    find: async (address) => {
      const stored = await findStored(address);
      if (stored) return stored;
      const [made, received] = await Promise.all([
        findSummary(address),
        nativeReceipts(database, chainId, address),
      ]);
      if (!made && received.oldest.length === 0) return undefined;
      return derivedWallet(address, made ?? NOTHING_MADE, received);
    },
    tokens: (address, page) => walletTokens(database, chainId, address, page),
    history: async (address, range) => {
      if (await findStored(address)) {
        return storedSteps(database, chainId, address, range);
      }
      const { fromS = 0, toS = Number.MAX_SAFE_INTEGER, limit } = range;
      const steps = creatorHistory(await createdTokens(database, chainId, address));
      return steps
        .filter(({ atS }) => atS >= fromS && atS <= toS)
        .toReversed()
        .slice(0, limit);
    },
    scams: async (address) =>
      (await findStored(address))
        ? storedScams(database, chainId, address)
        : createdScams(database, chainId, address),
  };
};
