import type { Hex } from '../../../shared/chain/block.ts';
import type { EdgeRow } from './arrangeFacts.ts';

/** Counterparties from which a wallet pays out like a service; hubs.ts says the same. */
const SERVICE_MIN = 1_000;
/** Of the customers of services, the share with the fewest dealings that is looked at. */
const QUIET_SHARE = 0.2;
/** Dealings of that share fall short of its own figure by so many of their standard deviations at the most. */
const DEVIATIONS = 1.8;
const STRAY_MAX = 10;
/** Fewer tell nothing: many a bystander has no more. */
const STRAY_MIN = 2;

/** Distinct counterparties of every wallet, services not counted, and who was paid by a service. */
const readDealings = (edges: readonly EdgeRow[]) => {
  const met = new Map<Hex, Set<Hex>>();
  const meet = (a: Hex, b: Hex): void => {
    const others = met.get(a);
    if (others) others.add(b);
    else met.set(a, new Set([b]));
  };
  for (const row of edges) {
    if (row.from === row.to) continue;
    meet(row.from, row.to);
    meet(row.to, row.from);
  }
  return met;
};

/**
 * How many counterparties outside its ring chance may give a wallet: as many as hardly any customer of a service stays
 * below, where random dealings are taken to be Poisson distributed (the variance is the mean). None where customers
 * themselves deal with few.
 */
export const strayDealingsOf = (edges: readonly EdgeRow[], deployers: ReadonlySet<Hex>): number => {
  const met = readDealings(edges);
  const isService = (wallet: Hex): boolean => (met.get(wallet)?.size ?? 0) >= SERVICE_MIN;
  const dealings: number[] = [];
  for (const [wallet, others] of met) {
    if (isService(wallet) || deployers.has(wallet)) continue;
    const people = [...others].filter((other) => !isService(other)).length;
    if (people > 0 && people < others.size) dealings.push(people);
  }
  dealings.sort((a, b) => a - b);
  const few = dealings[Math.floor(dealings.length * QUIET_SHARE)] ?? 0;
  const stray = Math.min(STRAY_MAX, few - DEVIATIONS * Math.sqrt(few));
  return stray < STRAY_MIN ? 0 : stray;
};
