import type { PublishedRing, RuleResult, SerialDeployers } from './deployerHistory.ts';

const sumOf = (rings: readonly PublishedRing[], count: (ring: PublishedRing) => number): number =>
  rings.reduce((sum, ring) => sum + count(ring), 0);

/** Figures of recorded history as lines to read. */
export const describeHistory = (figures: {
  readonly serial: SerialDeployers;
  readonly rule: Readonly<Record<string, RuleResult>>;
  readonly published: readonly PublishedRing[];
}): string[] => {
  const { serial, rule, published } = figures;
  const told = published.filter(({ known }) => known > 0);
  return [
    `serial deployers (two rugs or more): ${serial.creators}, with ${serial.pools} pools and ${serial.rugs} of ${serial.allRugs} rugs`,
    ...Object.entries(rule).map(
      ([cohort, r]) =>
        `creator has a known earlier rug, ${cohort}: precision ${r.precision.toFixed(3)} (${r.right} of ${r.right + r.wrong}), recall ${r.recall.toFixed(3)}, base rate ${r.baseRate.toFixed(3)}; ${r.marked} pools marked, ${r.undecided} of them undecided`,
    ),
    `published rings: ${published.length} with ${sumOf(published, (r) => r.pools)} pools; creators known for ${sumOf(told, (r) => r.known)} pools in ${told.length} rings`,
    ...told.map(
      (r) =>
        `${r.ring}: ${r.shared} of ${r.known} pools share a ring here (${((100 * r.shared) / r.known).toFixed(1)} %), ${r.creators} creators`,
    ),
  ];
};
