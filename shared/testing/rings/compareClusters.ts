/** How well found clusters match planted ones. */
export interface ClusterAgreement {
  /** Adjusted Rand index (Hubert and Arabie 1985) over all wallets in either; who is in none is alone. */
  readonly ari: number;
  /** Of the pairs put together, the share that belongs together; and the reverse. */
  readonly pairwisePrecision: number;
  readonly pairwiseRecall: number;
  /** Wallets found in a ring that are in none. */
  readonly innocents: number;
}

const pairs = (count: number): number => (count * (count - 1)) / 2;

const sumPairs = (counts: Iterable<number>): number => {
  let sum = 0;
  for (const count of counts) sum += pairs(count);
  return sum;
};

/** Compares two groupings, each from wallet to the name of its group. */
export const compareClusters = (
  truth: ReadonlyMap<string, string | number>,
  found: ReadonlyMap<string, string | number>,
): ClusterAgreement => {
  const wallets = new Set([...truth.keys(), ...found.keys()]);
  const count = <K>(map: Map<K, number>, key: K): void =>
    void map.set(key, (map.get(key) ?? 0) + 1);
  const [planted, predicted, both] = [
    new Map<string | number, number>(),
    new Map<string | number, number>(),
    new Map<string, number>(),
  ];
  for (const wallet of wallets) {
    const [a, b] = [truth.get(wallet) ?? wallet, found.get(wallet) ?? wallet];
    count(planted, a);
    count(predicted, b);
    count(both, `${a} ${b}`);
  }
  const [together, ofTruth, ofFound] = [both, planted, predicted].map((map) =>
    sumPairs(map.values()),
  ) as [number, number, number];
  const expected = (ofTruth * ofFound) / pairs(wallets.size);
  const most = (ofTruth + ofFound) / 2;
  return {
    ari: most === expected ? 1 : (together - expected) / (most - expected),
    pairwisePrecision: ofFound === 0 ? 1 : together / ofFound,
    pairwiseRecall: ofTruth === 0 ? 1 : together / ofTruth,
    innocents: [...found.keys()].filter((wallet) => !truth.has(wallet)).length,
  };
};
