import { createRandom } from '../simulation/random.ts';
import {
  createWorld,
  LABELLED,
  type PlantedWorld,
  skewed,
  type Vocabulary,
  WORLD_BLOCKS,
} from './plantedWorld.ts';
import { RING_STYLES, type RingStyle, ringSize } from './ringStyles.ts';

/** What to plant. */
export interface PlantOptions {
  readonly seed: number;
  /** Rows of edges.csv, about. */
  readonly edges: number;
  readonly rings: number;
  readonly styles?: readonly RingStyle[];
  readonly words?: Vocabulary;
  readonly ringSizeMax?: number;
  /** Customers of the large exchange; a share of the rows where absent. */
  readonly customers?: number;
  /** Share of ring wallets touched by random transfers from and to innocents, percent. */
  readonly noisePercent?: number;
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
const disturb = (world: PlantedWorld, people: readonly string[], noisePercent: number): void => {
  for (const wallet of Array.from(world.truth.keys())) {
    if (world.random.oneIn(20)) {
      for (let i = 0; i < 5; i += 1) {
        world.move('transfer', wallet, world.random.pick(people), 0.000_01, WORLD_BLOCKS + i);
      }
    }
    if (world.random.oneIn(20)) {
      world.move('transfer', world.random.pick(people), wallet, 0.000_01, anyBlock(world));
    }
    if (world.random.below(100) >= noisePercent) continue;
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
export const plantRings = (options: PlantOptions): PlantedWorld => {
  const random = createRandom(options.seed);
  const world = createWorld(random, options.words ?? LABELLED);
  const styles = options.styles ?? (Object.keys(RING_STYLES) as RingStyle[]);
  const exchange = world.wallet();
  const customers = options.customers ?? Math.max(1_200, Math.floor(options.edges / 8));
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
    style({ world, ring, size: ringSize(world, options.ringSizeMax ?? 200), exchange: source });
  }
  tradeTokens(world, people);
  openPayrolls(world, exchange, people);
  disturb(world, people, options.noisePercent ?? 5);
  fillUp(world, people, options.edges);
  return world;
};
