import { createDiscovery } from '../../../pipeline/scorer/discovery.ts';
import { FEATURE_NAMES } from '../../../pipeline/scorer/features/featureNames.ts';
import { createIngestor } from '../../../pipeline/scorer/ingestor.ts';
import type { Model } from '../../../pipeline/scorer/model/model.ts';
import { createScoringLoop } from '../../../pipeline/scorer/scoringLoop.ts';
import type { ReadToken, TokenReader } from '../../../pipeline/scorer/tokenReader.ts';
import { createTokenScorer } from '../../../pipeline/scorer/tokenScorer.ts';
import type { WalletStore } from '../../../pipeline/scorer/walletStore.ts';
import { ZERO_HASH } from '../../chain/block.ts';
import { chainPosition } from '../../chain/version.ts';
import { RetryableError } from '../../runtime/errors.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { CHAIN_ID, TOKENS, WETH } from './cast.ts';
import { consumeFake } from './fakeConsumer.ts';
import {
  createFakeActivityStore,
  createFakeFactStore,
  createFakePoolStore,
  createFakeTokenStore,
  type Statement,
} from './fakeFactStores.ts';
import { createFakeFeatureStore, createFakeVerdictStore } from './fakeVerdictStores.ts';
import type { Life } from './scheduler.ts';
import type { World } from './world.ts';

/** One ether in dollars, in the simulated world. */
export const NATIVE_USD = 2_000;
const NATIVE = { decimals: 18, priceUsd: NATIVE_USD, priceNative: 1 };

/** More than the cast, and small enough to be made anew at every start. */
const REMEMBERED_MAX = 64;

/** A model that knows nothing: what it is given is what matters here. */
const MODEL: Model = {
  name: 'none',
  sha256: ZERO_HASH.slice(2),
  featureNames: FEATURE_NAMES,
  rugShareByAgeS: {},
  predict: async (vectors) =>
    vectors.map(() => ({ margin: 0, probability: 0.5, baseValue: 0, contributions: {} })),
};

type Sighting = Parameters<TokenReader['read']>[1][number];

/** What the contract answers, as of the block it was seen in. */
const readOne = ({ programme }: World, sighting: Sighting): ReadToken => {
  const token = TOKENS.find(({ address }) => address === sighting.token);
  if (!token) return { kind: 'notAToken' };
  const isThere = token.nature === 'factory' || programme.exists(token.address, sighting.blockHash);
  if (!isThere) return { kind: 'notAContract' };
  const isShy = token.nature === 'silent' && sighting.source === 'creation';
  if (token.nature === 'notToken' || isShy) return { kind: 'notAToken' };
  return {
    kind: 'token',
    record: {
      chainId: CHAIN_ID,
      token: token.address,
      name: 'Simulated',
      symbol: 'SIM',
      decimals: 18,
      totalSupply: undefined,
      confirmedBy: 'calls',
      creator: token.creator,
      creatorSource: sighting.creator ? 'deployment' : 'first_transfer',
      createdBlock: sighting.blockNumber,
      createdBlockHash: sighting.blockHash,
      createdTx: sighting.txHash,
      createdAtS: sighting.timestampS,
      codeHash: ZERO_HASH,
    },
  };
};

const NO_WALLETS: WalletStore = { read: async () => new Map() };

/** The scorer as a process, on the fakes of its ports. */
export const runScorer = async (world: World, life: Life): Promise<void> => {
  const { database, scheduler, stream, durables, random } = world;
  const clock = scheduler.clock(life);
  const away = (): Error => new RetryableError('fake ClickHouse: no answer');
  const run: Statement = (effect) => scheduler.io(life, away, effect);
  const activity = createFakeActivityStore(database, run);
  const verdicts = createFakeVerdictStore(database, run);
  const tokens = createFakeTokenStore(database, run);
  const pools = createFakePoolStore(database, run);
  const tokenReader: TokenReader = {
    read: (_chainId, candidates) =>
      scheduler.io(life, away, () => candidates.map((one) => readOne(world, one))),
  };
  let stored: number | undefined;
  const loop = createScoringLoop({
    chainId: CHAIN_ID,
    scorer: createTokenScorer({
      features: createFakeFeatureStore(database, run),
      wallets: NO_WALLETS,
      prices: { prices: async () => new Map([[WETH, NATIVE]]) },
      model: MODEL,
      verdicts,
      simulate: async (requests) =>
        requests.map(() => ({ kind: 'unknown', reason: 'not in this world' })),
      contracts: { study: async () => new Map(), judge: async () => undefined },
      priorScamRate: 0.5,
      storedUpTo: async () => stored ?? (await activity.progress(CHAIN_ID))?.block.number,
      clock,
    }),
    due: (limit) => activity.due(CHAIN_ID, limit),
    stored: async () => {
      const progress = await activity.progress(CHAIN_ID);
      return progress ? chainPosition(progress.epoch, progress.block.number) : 0;
    },
    isCatchingUp: () => random.oneIn(3),
    publish: () => run(() => undefined),
    clock,
    logger: silentLogger,
  });
  const poolReader = { read: async () => [] };
  const ingestor = createIngestor({
    facts: createFakeFactStore(database, run),
    tokens,
    pools,
    activity,
    verdicts,
    // Outcomes are a week old: no simulated life lasts that long.
    outcomes: { bury: async () => undefined },
    discovery: createDiscovery({
      chainId: CHAIN_ID,
      tokens,
      pools,
      tokenReader,
      poolReader,
      logger: silentLogger,
      rememberedMax: REMEMBERED_MAX,
    }),
    clock,
    betweenVerdicts: (work) => loop.exclusive(work),
    onActivity: (activities, { epoch, storedUpTo }) => {
      stored = storedUpTo;
      loop.add(activities, chainPosition(epoch, storedUpTo));
    },
  });
  const handle: typeof ingestor.handle = (batch) => ingestor.handle(batch);
  await Promise.all([
    consumeFake({ stream, durable: durables.scorer, scheduler, random, life, handle }),
    loop.run(new AbortController().signal),
  ]);
};
