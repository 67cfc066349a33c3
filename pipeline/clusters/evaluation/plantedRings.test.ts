import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom, type Random } from '../../../shared/testing/random.ts';
import { agreementOf, type PlantedDeployment, type PlantedEdge } from '../testing/agreementOf.ts';

/** What every kind of movement is called in the data. */
interface Vocabulary {
  readonly funding: string;
  readonly transfer: string;
  readonly proceeds: string;
  readonly lpRemoved: string;
  readonly token: string;
  readonly trade: string;
}

/** Words of data that distinguish purposes, and of data as a chain shows it. */
const LABELLED: Vocabulary = {
  funding: 'fund',
  transfer: 'transfer',
  proceeds: 'proceeds',
  lpRemoved: 'lp_remove',
  token: 'token',
  trade: 'swap',
};
const PLAIN: Vocabulary = {
  funding: 'native',
  transfer: 'native',
  proceeds: 'native',
  lpRemoved: 'native',
  token: 'erc20',
  trade: 'swap',
};

/** Blocks a planted world spans. */
const WORLD_BLOCKS = 200_000;

/** A world under construction: rows so far, and which wallet belongs to which ring. */
interface PlantedWorld {
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
const createWorld = (random: Random, words: Vocabulary): PlantedWorld => {
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
const skewed = (random: Random, least: number, most: number): number =>
  Math.round(least * (most / least) ** (random.below(10_001) / 10_000));

/** Splits off how many of `count` there are at a share in percent, at least one. */
const shareOf = (count: number, percent: number): number =>
  Math.max(1, Math.round((count * percent) / 100));

/** One ring to plant. */
interface RingPlan {
  readonly world: PlantedWorld;
  readonly ring: number;
  readonly size: number;
  /** The exchange that pays in and out. */
  readonly exchange: string;
}

/** Wallets that deploy, and what they made. */
interface Crew {
  readonly wallets: readonly string[];
  readonly deployers: readonly string[];
  readonly tokens: readonly string[];
  readonly fromBlock: number;
}

const startBlock = ({ world }: RingPlan): number =>
  1_000 + world.random.below(Math.floor(WORLD_BLOCKS * 0.8));

/** Lets a share of the wallets deploy one to three tokens, nearly all of them scams. */
const deployTokens = (plan: RingPlan, wallets: readonly string[], fromBlock: number): Crew => {
  const { world } = plan;
  const percent = world.random.pick([10, 30, 60, 100]);
  const deployers = wallets.slice(0, shareOf(wallets.length, percent));
  const tokens = deployers.flatMap((wallet, i) =>
    Array.from({ length: 1 + world.random.below(3) }, (_, n) =>
      world.deploy(
        wallet,
        fromBlock + 50 + world.random.below(300),
        (i === 0 && n === 0) || !world.random.oneIn(12),
      ),
    ),
  );
  return { wallets, deployers, tokens, fromBlock };
};

/** Wallets that did not deploy trade the ring's tokens, some in one block. */
const trade = ({ world }: RingPlan, crew: Crew): void => {
  const block = crew.fromBlock + 400;
  for (const wallet of crew.wallets) {
    if (crew.deployers.includes(wallet) || world.random.oneIn(3)) continue;
    const token = world.random.pick(crew.tokens);
    world.move('trade', wallet, token, world.amount(0.3), block);
    if (world.random.oneIn(2)) world.move('trade', token, wallet, world.amount(0.5), block + 30);
  }
};

/** Everybody who has something sends it to a collector, in one to three steps, and it leaves by the exchange. */
const cashOut = (plan: RingPlan, crew: Crew, collectors: readonly string[]): void => {
  const { world, ring, exchange } = plan;
  const block = crew.fromBlock + 600;
  for (const wallet of crew.wallets) {
    const collector = world.random.pick(collectors);
    const isDeployer = crew.deployers.includes(wallet);
    if (wallet === collector || (!isDeployer && world.random.oneIn(3))) continue;
    const value = world.amount(isDeployer ? 8 : 1);
    const at = block + world.random.below(200);
    if (isDeployer && world.random.oneIn(3)) {
      world.move('lpRemoved', wallet, collector, value, at);
    } else if (world.random.oneIn(6) && world.truth.size > 0) {
      const relay = world.wallet(ring);
      world.move('proceeds', wallet, relay, value, at);
      world.move('proceeds', relay, collector, value * 0.99, at + 20);
    } else world.move('proceeds', wallet, collector, value, at);
  }
  for (const collector of collectors) {
    world.move('transfer', collector, exchange, world.amount(30), block + 400);
  }
};

const fund = (plan: RingPlan, from: string, to: string, block: number): void =>
  plan.world.move('funding', from, to, plan.world.amount(0.6), block);

const wallets = ({ world, ring }: RingPlan, count: number): string[] =>
  Array.from({ length: count }, () => world.wallet(ring));

/** A master pays all others itself; the proceeds come back to it or to a collector. */
const star = (plan: RingPlan): void => {
  const from = startBlock(plan);
  const [master = '', ...rest] = wallets(plan, plan.size);
  plan.world.move('funding', plan.exchange, master, plan.world.amount(10), from);
  rest.forEach((wallet, i) => fund(plan, master, wallet, from + 1 + i));
  const crew = deployTokens(plan, rest, from + rest.length);
  trade(plan, crew);
  const collectors = plan.world.random.oneIn(2) ? [master] : wallets(plan, 1);
  cashOut(plan, crew, collectors);
};

/** Each wallet pays the next and the last cashes out. */
const chain = (plan: RingPlan): void => {
  const from = startBlock(plan);
  const links = wallets(plan, plan.size);
  plan.world.move('funding', plan.exchange, links[0] ?? '', plan.world.amount(10), from);
  const value = plan.world.amount(5);
  links.slice(1).forEach((wallet, i) => {
    plan.world.move('funding', links[i] ?? '', wallet, value * 0.995 ** i, from + 10 + i * 3);
  });
  const some = links.filter(() => plan.world.random.oneIn(3));
  deployTokens(plan, some.length > 0 ? some : links.slice(-1), from + links.length * 3);
  const last = links[links.length - 1] ?? '';
  plan.world.move('transfer', last, plan.exchange, value, from + links.length * 3 + 900);
};

/** A master pays funders, each funder its puppets. */
const tree = (plan: RingPlan): void => {
  const { world } = plan;
  const from = startBlock(plan);
  const [master = ''] = wallets(plan, 1);
  const funders = wallets(plan, Math.max(1, Math.round(Math.sqrt(plan.size - 1))));
  const puppets = wallets(plan, Math.max(1, plan.size - 1 - funders.length));
  world.move('funding', plan.exchange, master, world.amount(20), from);
  funders.forEach((funder, i) =>
    world.move('funding', master, funder, world.amount(4), from + 5 + i),
  );
  puppets.forEach((puppet, i) => {
    fund(plan, funders[i % funders.length] ?? '', puppet, from + 40 + i);
  });
  const crew = deployTokens(plan, puppets, from + 40 + puppets.length);
  trade(plan, crew);
  cashOut(plan, crew, wallets(plan, 1 + world.random.below(2)));
};

/** Every payment passes through fresh wallets that do nothing else. */
const relays = (plan: RingPlan): void => {
  const { world } = plan;
  const from = startBlock(plan);
  const hops = 1 + world.random.below(3);
  const [master = ''] = wallets(plan, 1);
  world.move('funding', plan.exchange, master, world.amount(20), from);
  const crewWallets = wallets(plan, Math.max(1, Math.floor((plan.size - 1) / (hops + 1))));
  crewWallets.forEach((wallet, i) => {
    const way = [master, ...wallets(plan, hops), wallet];
    way.slice(1).forEach((next, n) => fund(plan, way[n] ?? '', next, from + 10 + i + n * 4));
  });
  const crew = deployTokens(plan, crewWallets, from + 60 + crewWallets.length);
  cashOut(plan, crew, wallets(plan, 1));
};

/** All first money comes from the exchange; only where the proceeds go shows the ring. */
const exchangeFed = (plan: RingPlan): void => {
  const { world } = plan;
  const from = startBlock(plan);
  const crewWallets = wallets(plan, Math.max(2, plan.size - 1));
  crewWallets.forEach((wallet) => {
    world.move('funding', plan.exchange, wallet, world.amount(1), from + world.random.below(400));
  });
  const block = from + 500;
  const tokens = crewWallets.map((wallet) => world.deploy(wallet, block, true));
  const crew = { wallets: crewWallets, deployers: crewWallets, tokens, fromBlock: block };
  cashOut(plan, crew, wallets(plan, 1));
};

/** A deployer pays for the next deployer out of the proceeds, each with a few puppets of its own. */
const relay2Generations = (plan: RingPlan): void => {
  const { world } = plan;
  let from = startBlock(plan);
  let left = plan.size;
  let [deployer = ''] = wallets(plan, 1);
  world.move('funding', plan.exchange, deployer, world.amount(3), from);
  while (left > 0) {
    const puppets = wallets(plan, Math.min(left, world.random.below(4)));
    const token = world.deploy(deployer, from + 20, true);
    for (const puppet of puppets) {
      fund(plan, deployer, puppet, from + 15);
      world.move('trade', puppet, token, world.amount(0.4), from + 25);
      world.move('proceeds', puppet, deployer, world.amount(0.8), from + 60);
    }
    left -= puppets.length + 1;
    if (left <= 0) break;
    const [next = ''] = wallets(plan, 1);
    world.move('funding', deployer, next, world.amount(6), from + 100);
    deployer = next;
    from += 200;
  }
  world.move('transfer', deployer, plan.exchange, world.amount(10), from + 300);
};

/** The ways rings are built, by name. */
const RING_STYLES = { star, chain, tree, relays, exchangeFed, relay2Generations };
type RingStyle = keyof typeof RING_STYLES;

/** Wallets of a ring, from two; small rings are more often. */
const RING_SIZE_MAX = 200;
/** Share of ring wallets touched by random transfers from and to innocents, percent. */
const NOISE_PERCENT = 5;

/** What to plant. */
interface PlantOptions {
  readonly seed: number;
  /** Rows of edges.csv, about. */
  readonly edges: number;
  readonly rings: number;
  readonly styles?: readonly RingStyle[];
  readonly words: Vocabulary;
}

const anyBlock = (world: PlantedWorld): number => 500 + world.random.below(WORLD_BLOCKS);

/** An exchange pays out to its customers, and some pay in. */
const openExchange = (
  world: PlantedWorld,
  exchange: string,
  customers: readonly string[],
): void => {
  for (const customer of customers) {
    const block = anyBlock(world) / 2;
    world.move('funding', exchange, customer, world.amount(1), Math.floor(block));
    if (world.random.oneIn(3)) {
      world.move('transfer', customer, exchange, world.amount(0.5), Math.floor(block) + 5_000);
    }
  }
};

/** Employers and small services that pay a few dozen people who have lives of their own. */
const openPayrolls = (world: PlantedWorld, exchange: string, people: readonly string[]): void => {
  for (let n = 0; n < 10; n += 1) {
    const payer = world.wallet();
    const from = anyBlock(world);
    world.move('funding', exchange, payer, world.amount(40), from);
    for (let i = 0; i < 10 + world.random.below(50); i += 1) {
      const isNew = world.random.oneIn(3);
      const employee = isNew ? world.wallet() : world.random.pick(people);
      world.move('transfer', payer, employee, world.amount(1), from + 10 + i);
      if (isNew)
        world.move('transfer', employee, world.random.pick(people), world.amount(0.5), from + 900);
    }
  }
};

/** Honest tokens, and everybody who buys any token: early or late, of rings or not. */
const tradeTokens = (world: PlantedWorld, people: readonly string[]): void => {
  for (let n = 0; n < Math.floor(people.length / 100); n += 1) {
    world.deploy(world.random.pick(people), anyBlock(world), false);
  }
  for (const { token, block, creator } of Array.from(world.deployments)) {
    const isRing = world.truth.has(creator);
    for (let i = 0; i < skewed(world.random, 1, 30); i += 1) {
      const buyer = world.random.pick(people);
      const at = block + world.random.pick([0, 1, 400, 450, 2_000]);
      world.move('trade', buyer, token, world.amount(0.3), at);
      if (!isRing) world.move('trade', token, buyer, world.amount(0.3), at + 3_000);
    }
  }
};

/** Dust both ways, and random transfers that touch some wallets of rings. */
const disturb = (world: PlantedWorld, people: readonly string[]): void => {
  for (const wallet of Array.from(world.truth.keys())) {
    if (world.random.oneIn(20)) {
      for (let i = 0; i < 5; i += 1) {
        world.move('transfer', wallet, world.random.pick(people), 0.000_01, WORLD_BLOCKS + i);
      }
    }
    if (world.random.oneIn(20)) {
      world.move('transfer', world.random.pick(people), wallet, 0.000_01, anyBlock(world));
    }
    if (world.random.below(100) >= NOISE_PERCENT) continue;
    const person = world.random.pick(people);
    const isOut = world.random.oneIn(2);
    const [from, to] = isOut ? [wallet, person] : [person, wallet];
    world.move('transfer', from, to, world.amount(0.1), anyBlock(world));
  }
};

const fillUp = (world: PlantedWorld, people: readonly string[], edges: number): void => {
  while (world.edges.length < edges) {
    const [from, to] = [world.random.pick(people), world.random.pick(people)];
    if (from !== to) world.move('transfer', from, to, world.amount(0.2), anyBlock(world));
  }
};

/**
 * Rings among innocents, the same for the same options. Rings share a large exchange with thousands of
 * innocents; small exchanges, payrolls, honest deployers, victims of the rings' tokens, dust and random
 * transfers make up the noise.
 */
const plantRings = (options: PlantOptions): PlantedWorld => {
  const random = createRandom(options.seed);
  const world = createWorld(random, options.words);
  const styles = options.styles ?? (Object.keys(RING_STYLES) as RingStyle[]);
  const exchange = world.wallet();
  const customers = Math.max(1_200, Math.floor(options.edges / 8));
  const people = Array.from({ length: customers }, () => world.wallet());
  openExchange(world, exchange, people);
  const smallExchanges = [60, 150, 400, 900].map((count) => {
    const small = world.wallet();
    const own = Array.from({ length: count }, () => world.wallet());
    openExchange(world, small, own);
    people.push(...own);
    return small;
  });
  for (let ring = 0; ring < options.rings; ring += 1) {
    const source = random.oneIn(8) ? random.pick(smallExchanges) : exchange;
    const style = RING_STYLES[random.pick(styles)];
    style({ world, ring, size: skewed(random, 2, RING_SIZE_MAX), exchange: source });
  }
  tradeTokens(world, people);
  openPayrolls(world, exchange, people);
  disturb(world, people);
  fillUp(world, people, options.edges);
  return world;
};

describe('rings planted among 100,000 edges', () => {
  for (const [vocabulary, words] of Object.entries({ LABELLED, PLAIN })) {
    for (const seed of [1, 2]) {
      it(`are found whole and alone, mixed styles, ${vocabulary}, seed ${seed}`, (t) => {
        const result = agreementOf(plantRings({ seed, edges: 100_000, rings: 40, words }), (line) =>
          t.diagnostic(line),
        );
        assert.ok(result.pairwisePrecision >= 0.99, `precision ${result.pairwisePrecision}`);
        assert.ok(result.ari >= 0.95, `ARI ${result.ari}`);
      });
    }
    for (const style of Object.keys(RING_STYLES) as RingStyle[]) {
      it(`are found in the style ${style}, ${vocabulary}`, (t) => {
        const result = agreementOf(
          plantRings({ seed: 7, edges: 30_000, rings: 20, words, styles: [style] }),
          (line) => t.diagnostic(line),
        );
        assert.ok(result.ari >= 0.9, `ARI ${result.ari}`);
      });
    }
  }
});
