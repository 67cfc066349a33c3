import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom, type Random } from '../../../shared/testing/random.ts';
import { agreementOf, type PlantedDeployment, type PlantedEdge } from '../testing/agreementOf.ts';

/** How a crew's money flows from its source to its wallets. */
type Layout = 'chain' | 'star' | 'tree' | 'relayed' | 'exchange' | 'longChain';

/** A synthetic world; every field is a way in which recorded data may vary. */
interface CrewOptions {
  readonly seed: number;
  /** Rows of edges.csv. */
  readonly edges: number;
  readonly crews: number;
  /** Innocents: if they are few, each has many transactions; if many, few. */
  readonly people: number;
  readonly layouts: readonly Layout[];
  readonly sizeMax: number;
  /** Random transfers with one end in a crew, per cent. */
  readonly noisePercent: number;
  /** Wallets of a crew that deploy, per cent. */
  readonly deployersPercent: number;
  /** Blocks over which a crew is active; everybody else's transactions are spread over the whole world. */
  readonly crewBlocks: number;
  /** Exchanges that pay crews and innocent people alike. */
  readonly exchanges: number;
  /** Wallets of a crew that send dust to a thousand people, per cent. */
  readonly dustersPercent: number;
  /** Innocents who deploy a token, per cent. */
  readonly honestPercent: number;
  /** Employers and small services that pay dozens of people. */
  readonly payrolls: number;
}

/** Labels of data that names purposes. */
const NAMES = { funding: 'fund', transfer: 'transfer', proceeds: 'proceeds' } as const;

/** The planted data. Values in whole native units; kinds are purposes, to be labelled by the caller. */
interface CrewWorld {
  readonly edges: readonly (PlantedEdge & { readonly kind: 'funding' | 'transfer' | 'proceeds' })[];
  readonly deployments: readonly PlantedDeployment[];
  /** Crew number of every planted wallet. */
  readonly truth: ReadonlyMap<string, number>;
}

const BLOCKS = 100_000;

interface Ground {
  readonly random: Random;
  readonly options: CrewOptions;
  readonly truth: Map<string, number>;
  readonly deployments: PlantedDeployment[];
  readonly edges: CrewWorld['edges'][number][];
  readonly exchanges: readonly string[];
  readonly people: readonly string[];
  address(): string;
  pay(
    kind: 'funding' | 'transfer' | 'proceeds',
    from: string,
    to: string,
    value: number,
    at: number,
  ): void;
}

const createGround = (options: CrewOptions): Ground => {
  const random = createRandom(options.seed * 7_919);
  const edges: CrewWorld['edges'][number][] = [];
  const address = (): string => {
    const word = (): string =>
      random
        .below(2 ** 32)
        .toString(16)
        .padStart(8, '0');
    return `0x${word()}${word()}${word()}${word()}${word()}`;
  };
  return {
    random,
    options,
    truth: new Map(),
    deployments: [],
    edges,
    exchanges: Array.from({ length: options.exchanges }, address),
    people: Array.from({ length: options.people }, address),
    address,
    pay: (kind, from, to, value, at) => {
      if (from === to) return;
      const tx = `0x${(edges.length + 1).toString(16).padStart(64, '0')}`;
      edges.push({ from, to, kind, value, block: Math.max(1, Math.floor(at)), tx });
    },
  };
};

/** An amount around `middle`, up to five times more or less. */
const about = ({ random }: Ground, middle: number): number =>
  middle * 5 ** (random.below(2_001) / 1_000 - 1);

interface Crew {
  readonly id: number;
  readonly exchange: string;
  readonly start: number;
  /** Wallets that may deploy; relays and funders are not among them. */
  readonly workers: string[];
  readonly source: string;
}

const member = (ground: Ground, id: number): string => {
  const wallet = ground.address();
  ground.truth.set(wallet, id);
  return wallet;
};

const later = ({ random, options }: Ground): number =>
  1 + random.below(Math.max(2, Math.floor(options.crewBlocks / 50)));

/** Sends initial funding along a path of wallets. */
const fundAlong = (
  ground: Ground,
  path: readonly string[],
  value: number,
  start: number,
): number => {
  let at = start;
  path.slice(1).forEach((to, i) => {
    at += 1 + ground.random.below(5);
    ground.pay('funding', path[i] as string, to, value * 0.98 ** i, at);
  });
  return at;
};

const LAYOUTS: Readonly<Record<Layout, (ground: Ground, crew: Crew, size: number) => void>> = {
  chain: (ground, { id, source, workers, start }, size) => {
    const path = [source, ...Array.from({ length: size - 1 }, () => member(ground, id))];
    workers.push(...path);
    fundAlong(ground, path, about(ground, 4), start);
  },
  longChain: (ground, { id, source, workers, start }, size) => {
    const path = [source, ...Array.from({ length: size - 1 }, () => member(ground, id))];
    // Every second wallet only passes money on.
    workers.push(...path.filter((_, i) => i % 2 === 0));
    fundAlong(ground, path, about(ground, 20), start);
  },
  star: (ground, { id, source, workers, start }, size) => {
    for (let i = 1; i < size; i += 1) {
      const wallet = member(ground, id);
      workers.push(wallet);
      ground.pay('funding', source, wallet, about(ground, 0.5), start + later(ground));
    }
  },
  tree: (ground, { id, source, workers, start }, size) => {
    const funders = Array.from({ length: Math.max(1, Math.floor(size / 8)) }, () =>
      member(ground, id),
    );
    for (const funder of funders)
      ground.pay('funding', source, funder, about(ground, 4), start + later(ground));
    for (let i = funders.length + 1; i < size; i += 1) {
      const wallet = member(ground, id);
      workers.push(wallet);
      ground.pay(
        'funding',
        ground.random.pick(funders),
        wallet,
        about(ground, 0.5),
        start + ground.options.crewBlocks / 20 + later(ground),
      );
    }
    if (workers.length === 0) workers.push(source);
  },
  relayed: (ground, { id, source, workers, start }, size) => {
    for (let left = size - 1; left > 0; ) {
      const hops = Math.min(left, 1 + ground.random.below(4));
      const path = [source, ...Array.from({ length: hops }, () => member(ground, id))];
      workers.push(path[path.length - 1] as string);
      fundAlong(ground, path, about(ground, 1), start + later(ground));
      left -= hops;
    }
  },
  exchange: (ground, { id, exchange, source, workers, start }, size) => {
    workers.push(source);
    for (let i = 1; i < size; i += 1) {
      const wallet = member(ground, id);
      workers.push(wallet);
      ground.pay('funding', exchange, wallet, about(ground, 0.5), start + later(ground));
    }
  },
};

/** Deploys, trades nothing, and sends the proceeds to one collector, who cashes out. */
const work = (ground: Ground, crew: Crew, layout: Layout): void => {
  const { random, options } = ground;
  const end = crew.start + options.crewBlocks;
  const collector = random.oneIn(2) ? crew.source : (crew.workers[0] as string);
  const count = Math.max(1, Math.round((crew.workers.length * options.deployersPercent) / 100));
  crew.workers.forEach((wallet, i) => {
    const isDeployer = layout === 'exchange' || i % Math.ceil(crew.workers.length / count) === 0;
    for (let n = 0; isDeployer && n < 1 + random.below(2); n += 1) {
      const block =
        crew.start + options.crewBlocks * 0.3 + random.below(Math.ceil(options.crewBlocks * 0.4));
      const scam = n === 0 || !random.oneIn(4);
      ground.deployments.push({
        token: ground.address(),
        creator: wallet,
        block: Math.floor(block),
        scam,
      });
    }
    const isSent = isDeployer || layout === 'star' || random.oneIn(4);
    if (isSent && layout !== 'longChain') {
      ground.pay(
        'proceeds',
        wallet,
        collector,
        about(ground, isDeployer ? 3 : 0.4),
        end - later(ground),
      );
    }
  });
  ground.pay('transfer', collector, crew.exchange, about(ground, 20), end + later(ground));
};

const plantCrew = (ground: Ground, id: number): void => {
  const { random, options } = ground;
  const layout = random.pick(options.layouts);
  const share = random.below(1_001) / 1_000;
  const size =
    layout === 'longChain' ? options.sizeMax : Math.round(2 * (options.sizeMax / 2) ** share);
  const exchange = random.pick(ground.exchanges);
  const start = 100 + random.below(Math.max(1, BLOCKS - options.crewBlocks));
  const crew = { id, exchange, start, workers: [], source: member(ground, id) };
  ground.pay('funding', exchange, crew.source, about(ground, 20), start - 50);
  LAYOUTS[layout](ground, crew, size);
  work(ground, crew, layout);
};

/** People get their initial funding from an exchange or from each other, and some deploy honest tokens. */
const settlePeople = (ground: Ground): void => {
  const { random, people, options } = ground;
  people.forEach((person, i) => {
    const source =
      random.below(100) < 80 ? random.pick(ground.exchanges) : random.pick(people.slice(0, i + 1));
    const at = random.below(BLOCKS);
    ground.pay('funding', source, person, about(ground, 0.8), at);
    if (random.oneIn(5))
      ground.pay(
        'transfer',
        person,
        random.pick(ground.exchanges),
        about(ground, 0.5),
        at + random.below(5_000),
      );
    if (random.below(100) >= options.honestPercent) return;
    ground.deployments.push({
      token: ground.address(),
      creator: person,
      block: at + 500,
      scam: false,
    });
  });
};

const openPayrolls = (ground: Ground): void => {
  const { random, people, options } = ground;
  for (let n = 0; n < options.payrolls; n += 1) {
    const payer = ground.address();
    const at = random.below(BLOCKS);
    ground.pay('funding', random.pick(ground.exchanges), payer, about(ground, 40), at);
    for (let i = 0; i < 10 + random.below(50); i += 1) {
      const isNew = random.oneIn(3);
      const employee = isNew ? ground.address() : random.pick(people);
      ground.pay('transfer', payer, employee, about(ground, 1), at + 10 + i);
      if (isNew)
        ground.pay('transfer', employee, random.pick(people), about(ground, 0.5), at + 900);
    }
  }
};

const dustPeople = (ground: Ground): void => {
  for (const wallet of ground.truth.keys()) {
    if (ground.random.below(100) >= ground.options.dustersPercent) continue;
    const at = ground.random.below(BLOCKS);
    for (let i = 0; i < 1_000; i += 1) {
      ground.pay('transfer', wallet, ground.random.pick(ground.people), 1e-6, at + i / 100);
    }
  }
};

/** Random transfers up to the number of rows, some of which touch crews. */
const fillUp = (ground: Ground): void => {
  const { random, people, options } = ground;
  const crewWallets = [...ground.truth.keys()];
  while (ground.edges.length < options.edges) {
    const isTouching = random.below(1_000) < options.noisePercent * 10;
    const person = random.pick(people);
    const other = random.pick(isTouching ? crewWallets : people);
    const [from, to] = random.oneIn(2) ? [person, other] : [other, person];
    ground.pay('transfer', from, to, about(ground, 0.3), random.below(BLOCKS));
  }
};

/** Crews of scammers among innocents, the same for the same options. */
const plantCrews = (options: CrewOptions): CrewWorld => {
  const ground = createGround(options);
  for (let id = 0; id < options.crews; id += 1) plantCrew(ground, id);
  settlePeople(ground);
  openPayrolls(ground);
  dustPeople(ground);
  fillUp(ground);
  const { edges, deployments, truth } = ground;
  return { edges, deployments, truth };
};

describe('crews planted among 40,000 edges', () => {
  const base: CrewOptions = {
    seed: 3,
    edges: 40_000,
    crews: 20,
    people: 5_000,
    layouts: ['chain', 'star', 'tree', 'relayed', 'exchange'],
    sizeMax: 100,
    noisePercent: 0,
    deployersPercent: 30,
    crewBlocks: 2_000,
    exchanges: 1,
    dustersPercent: 0,
    honestPercent: 2,
    payrolls: 0,
  };
  /** The size of the world for which the aims under noise are stated. */
  const large = { edges: 100_000, crews: 40, people: 12_000, sizeMax: 200 };
  const cases: readonly (Partial<CrewOptions> & {
    name: string;
    ariMin: number;
    /** Whether edges are labelled with their purpose; otherwise they have no labels. */
    isNamed?: boolean;
  })[] = [
    { name: 'nothing touches them', ariMin: 0.99 },
    { name: 'three random transfers in a hundred touch them', noisePercent: 3, ariMin: 0.95 },
    { name: 'five in a hundred', noisePercent: 5, ariMin: 0.95, ...large },
    { name: 'ten in a hundred', seed: 32, noisePercent: 10, ariMin: 0.85, ...large },
    { name: 'few of them deploy', noisePercent: 1, deployersPercent: 2, ariMin: 0.95 },
    { name: 'long chains', noisePercent: 5, layouts: ['longChain'], crews: 8, ariMin: 0.95 },
    { name: 'they take their time', noisePercent: 1, crewBlocks: 80_000, ariMin: 0.95 },
    { name: 'they dust people', noisePercent: 5, dustersPercent: 1, ariMin: 0.95, ...large },
    { name: 'five exchanges, many honest tokens', exchanges: 5, honestPercent: 10, ariMin: 0.95 },
    { name: 'among payrolls', noisePercent: 5, payrolls: 10, ariMin: 0.95, ...large },
    { name: 'purposes are named', isNamed: true, noisePercent: 5, payrolls: 10, ariMin: 0.95 },
  ];
  for (const { name, ariMin, isNamed, ...options } of cases) {
    it(name, (t) => {
      const world = plantCrews({ ...base, ...options });
      const edges = world.edges.map((row) => {
        return { ...row, kind: isNamed ? NAMES[row.kind] : NAMES.transfer };
      });
      const result = agreementOf({ ...world, edges }, (line) => t.diagnostic(line));
      assert.ok(result.ari >= ariMin, `ARI ${result.ari} is below ${ariMin}`);
      assert.ok(result.pairwisePrecision >= 0.99, `precision ${result.pairwisePrecision}`);
    });
  }
});
