import pLimit from 'p-limit';
import type { Hex } from '../../../shared/chain/block.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type { HolderTrials, TradeSimulation } from '../checks/checkInput.ts';
import { disassemble, namedAddresses } from '../contract/codePatterns.ts';
import { headOf, readContract } from '../contract/contractState.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import { curveSteps } from './curveSteps.ts';
import { type HeldToken, tryHolders } from './holderTrials.ts';
import { resultOf } from './readOutcomes.ts';
import { type Head, type Market, marketOf, type Trade } from './simulateParams.ts';
import { isMethodMissing, isTooLarge, randomAddress, simulate } from './simulatingNode.ts';
import { ROUNDS_MAX, tradeSteps } from './tradeSteps.ts';

/** A pool of a token. Its state is read on the chain, from the block simulated on. */
export type TradeRequest = Omit<Market, 'base'> & {
  /** Zero: the native currency, for a pool in a manager. */
  readonly baseToken: Hex;
};

/** What a node simulates for a token. */
export interface Simulations {
  /**
   * Simulates a purchase and a sale on each pool, in the given order. Any behaviour of a token, a pool or a node's
   * answer becomes an outcome, and so does a node that fails at simulations only.
   * @param head a recent block to build on; what the node refuses there is repeated once on its own latest block
   * @throws RetryableError if the node does not even return its latest block.
   */
  readonly simulate: (requests: readonly TradeRequest[], head: Head) => Promise<TradeSimulation[]>;
  /** Simulates sales of wallets that bought; undefined if that is not possible now. */
  readonly tryHolders: (
    held: readonly HeldToken[],
    head: Head,
  ) => Promise<(HolderTrials | undefined)[]>;
}

interface SimulationPorts {
  readonly node: ChainNode;
  /** The wrapped native coin: the only base token that can be created from a mere balance. */
  readonly weth: Hex;
  readonly clock: Pick<Clock, 'now'>;
  /** Returns an unused address. Random by default, so that no token can know its tester. */
  readonly drawAddress?: () => Hex;
}

/**
 * Trades simulated in parallel, each in its own batches: a token's large answers, at most 12 MB by its gas, delay no
 * other.
 */
const TRADES_AT_ONCE = 3;
/** Milliseconds for which a node is assumed not to simulate. Nodes get upgraded. */
const UNSUPPORTED_MS = 600_000;
/** Milliseconds without simulations after the node failed at them. */
const FAILING_MS = 60_000;

const unknown = (reason: Sentence): TradeSimulation => ({ kind: 'unknown', reason });
const NOT_WETH = unknown(sentence('otherBase'));
const NO_METHOD = unknown(sentence('nodeCannotSimulate'));
const NO_HEAD = unknown(sentence('nodeWithoutHead'));
const NO_ANSWER = unknown(sentence('nodeSilent'));
const TOO_LARGE = unknown(sentence('answerTooLarge'));
const TOO_MANY_ROUNDS = unknown(sentence('simulationEndless'));

const readHead = async (node: ChainNode): Promise<Head | undefined> => {
  const [answer] = await node.batch([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
  ]);
  return headOf(resultOf(answer));
};

/** Contracts named by a token that are tried as routers. */
const NAMED_MAX = 6;

/** Addresses in the token's code and its first variables, without the two sides of the market. */
const readNamed = async (node: ChainNode, { token, pool, base }: Market): Promise<Hex[]> => {
  const read = await readContract(node, token);
  if (!read) return [];
  const named = new Set([...namedAddresses(disassemble(read.code)), ...read.state.stored]);
  return [...named].filter((one) => ![token, pool, base].includes(one)).slice(0, NAMED_MAX);
};

/** Whether the node cannot simulate on the block, for example because it is behind. */
const isRefused = (simulation: TradeSimulation): boolean =>
  simulation.kind === 'unknown' && simulation.reason.code === 'simulationRefused';

/**
 * Simulates trades with `eth_simulateV1`. This shows what happens to a buyer at this block, but not what an owner may
 * switch on later, so it complements the checks of bytecode.
 */
export const createSimulations = (ports: SimulationPorts): Simulations => {
  const { node, clock, drawAddress = randomAddress } = ports;
  const weth = ports.weth.toLowerCase() as Hex;
  let rest = { untilMs: 0, outcome: NO_METHOD };

  /** Suspends simulations of the node for a while: all trades end with `outcome`. */
  const restFor = (ms: number, outcome: TradeSimulation): TradeSimulation => {
    rest = { untilMs: clock.now() + ms, outcome };
    return outcome;
  };

  /** Answers a trade's simulations until it ends. */
  const converse = async (
    trade: Pick<Trade, 'market' | 'head' | 'named'>,
  ): Promise<TradeSimulation> => {
    const [trader, router, friend] = [drawAddress(), drawAddress(), drawAddress()];
    const parts = { ...trade, trader, router, friend };
    const steps = curveSteps(parts) ?? tradeSteps(parts);
    let state = steps.next([]);
    for (let round = 0; round < ROUNDS_MAX && !state.done; round += 1) {
      const plans = state.value.map(({ params }) => params);
      const outcomes = await simulate((calls) => node.batch(calls), plans);
      if (outcomes.some(isMethodMissing)) return restFor(UNSUPPORTED_MS, NO_METHOD);
      state = steps.next(outcomes);
    }
    return state.done ? state.value : TOO_MANY_ROUNDS;
  };

  /** If a new router is refused, the trade is repeated with the contracts that the token names. */
  const trade = async (market: Market, head: Head): Promise<TradeSimulation> => {
    try {
      const simulation = await converse({ market, head });
      const isRefused = simulation.kind === 'sellFails' && simulation.isRouterRefused === true;
      if (!isRefused || market.kind !== 'reserves') return simulation;
      const named = await readNamed(node, market);
      return named.length > 0 ? await converse({ market, head, named }) : simulation;
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      if (isTooLarge(error)) return TOO_LARGE;
      await readHead(node);
      return restFor(FAILING_MS, NO_ANSWER);
    }
  };

  const simulateOne = async (market: Market, head: Head): Promise<TradeSimulation> => {
    if (clock.now() < rest.untilMs) return rest.outcome;
    const simulation = await trade(market, head);
    if (!isRefused(simulation)) return simulation;
    const own = await readHead(node);
    return own ? trade(market, own) : NO_HEAD;
  };

  return {
    simulate: (requests, head) => {
      const atOnce = pLimit(TRADES_AT_ONCE);
      return Promise.all(
        requests.map(async (request) => {
          const market = marketOf(request.token, request, weth);
          return market ? atOnce(simulateOne, market, head) : NOT_WETH;
        }),
      );
    },
    tryHolders: (held, head) => tryHolders(node, held, head),
  };
};
