import type { Random } from '../../../shared/testing/random.ts';

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

/** What every kind of movement is called in the data. */
export interface Vocabulary {
  readonly funding: string;
  readonly transfer: string;
  readonly proceeds: string;
  readonly lpRemoved: string;
  readonly token: string;
  readonly trade: string;
}

/** Words of data that distinguish purposes, and of data as a chain shows it. */
export const LABELLED: Vocabulary = {
  funding: 'fund',
  transfer: 'transfer',
  proceeds: 'proceeds',
  lpRemoved: 'lp_remove',
  token: 'token',
  trade: 'swap',
};
export const PLAIN: Vocabulary = {
  funding: 'native',
  transfer: 'native',
  proceeds: 'native',
  lpRemoved: 'native',
  token: 'erc20',
  trade: 'swap',
};

/** Blocks a planted world spans. */
export const WORLD_BLOCKS = 200_000;

/** A world under construction: rows so far, and which wallet belongs to which ring. */
export interface PlantedWorld {
  readonly random: Random;
  readonly words: Vocabulary;
  readonly edges: PlantedEdge[];
  readonly deployments: PlantedDeployment[];
  /** Ring number of every planted wallet; innocents are absent. */
  readonly truth: Map<string, number>;
  /** A new wallet, of a ring or an innocent's. */
  wallet(ring?: number): string;
  move(kind: keyof Vocabulary, from: string, to: string, value: number, block: number): void;
  /** A new token; returns its address. */
  deploy(creator: string, block: number, scam: boolean): string;
  /** A value spread over two powers of ten around `middle`. */
  amount(middle: number): number;
}

/** An empty world. */
export const createWorld = (random: Random, words: Vocabulary): PlantedWorld => {
  const truth = new Map<string, number>();
  const edges: PlantedEdge[] = [];
  const deployments: PlantedDeployment[] = [];
  let named = 0;
  const address = (): string => {
    named += 1;
    const mixed = [1, 2, 3, 4, 5].map((salt) => Math.imul(named * 8 + salt, 0x9e3779b1) >>> 0);
    return `0x${mixed.map((part) => part.toString(16).padStart(8, '0')).join('')}`;
  };
  return {
    random,
    words,
    edges,
    deployments,
    truth,
    wallet: (ring) => {
      const wallet = address();
      if (ring !== undefined) truth.set(wallet, ring);
      return wallet;
    },
    move: (kind, from, to, value, block) => {
      const tx = `0x${(edges.length + 1).toString(16).padStart(64, '0')}`;
      edges.push({ from, to, kind: words[kind], value, block, tx });
    },
    deploy: (creator, block, scam) => {
      const token = address();
      deployments.push({ token, creator, block, scam });
      return token;
    },
    amount: (middle) => middle * 10 ** (random.below(2_001) / 1_000 - 1),
  };
};

/** A whole number from `least` to `most`, small ones more often. */
export const skewed = (random: Random, least: number, most: number): number =>
  Math.round(least * (most / least) ** (random.below(10_001) / 10_000));

/** Splits off how many of `count` there are at a share in percent, at least one. */
export const shareOf = (count: number, percent: number): number =>
  Math.max(1, Math.round((count * percent) / 100));
