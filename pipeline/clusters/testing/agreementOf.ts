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

/** How well found clusters match planted ones. */
interface ClusterAgreement {
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

/** Rows, and the number of the ring of every wallet that is in one. */
interface Planted {
  readonly edges: readonly PlantedEdge[];
  readonly deployments: readonly PlantedDeployment[];
  readonly truth: ReadonlyMap<string, number>;
}

/** How well the rings found in rows match those planted there; `report` is given it in words. */
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
