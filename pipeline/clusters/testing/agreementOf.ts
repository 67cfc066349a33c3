import { mapKind } from '../evaluation/arrangeFacts.ts';
import { evaluateRings } from '../evaluation/evaluateRings.ts';
import { createNames } from '../evaluation/parseCells.ts';

/** A row of edges.csv. */
export interface PlantedEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: string;
  readonly value: number;
  readonly block: number;
  readonly tx: string;
}

/** A row of deployments.csv. */
export interface PlantedDeployment {
  readonly token: string;
  readonly creator: string;
  readonly block: number;
  readonly scam: boolean;
}

/** Agreement between found and planted clusters. */
interface ClusterAgreement {
  /**
   * Adjusted Rand index (Hubert and Arabie 1985) over all wallets in either; a wallet in none is a group of its own.
   */
  readonly ari: number;
  /** Share of the pairs grouped together that belong together; and the reverse. */
  readonly pairwisePrecision: number;
  readonly pairwiseRecall: number;
  /** Wallets in a found ring that belong to none. */
  readonly innocents: number;
}

const pairs = (count: number): number => (count * (count - 1)) / 2;

const sumPairs = (counts: Iterable<number>): number => {
  let sum = 0;
  for (const count of counts) sum += pairs(count);
  return sum;
};

/** Compares two groupings, each a map from wallet to group name. */
const compareClusters = (
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

/** Rows, and the number of the ring of every ring wallet. */
interface Planted {
  readonly edges: readonly PlantedEdge[];
  readonly deployments: readonly PlantedDeployment[];
  readonly truth: ReadonlyMap<string, number>;
}

/** Agreement between the rings found in rows and those planted there; `report` receives it in words. */
export const agreementOf = (world: Planted, report: (line: string) => void): ClusterAgreement => {
  const names = createNames();
  const { rings } = evaluateRings(
    world.edges.map((row) => ({
      ...row,
      from: names.addressOf(row.from),
      to: names.addressOf(row.to),
      kind: mapKind(row.kind),
      tx: null,
    })),
    world.deployments.map(({ token, creator, block, scam }) => ({
      token: names.addressOf(token),
      creator: names.addressOf(creator),
      block,
      isScam: scam,
    })),
  );
  const found = new Map(
    rings.flatMap(({ id, members }) => members.map(({ wallet }) => [wallet, id] as const)),
  );
  const result = compareClusters(world.truth, found);
  report(
    `ARI ${result.ari.toFixed(4)} precision ${result.pairwisePrecision.toFixed(4)} recall ${result.pairwiseRecall.toFixed(4)} innocents ${result.innocents}`,
  );
  return result;
};
