import type { Hex } from '../../../shared/chain/block.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import { slicesOf } from '../../../shared/platform/slicesOf.ts';
import { type Sentence, sentence } from '../../../shared/sentences/sentence.ts';
import type { TradeSimulation } from '../checks/checkInput.ts';
import { headOf } from '../contract/contractState.ts';
import type { ChainNode } from '../token/tokenReader.ts';
import { curveSteps } from './curveSteps.ts';
import { resultOf } from './readOutcomes.ts';
import { type Head, type Market, marketOf } from './simulateParams.ts';
import { isMethodMissing, isTooLarge, randomAddress, simulate } from './simulatingNode.ts';
import { type TradeSteps, tradeSteps } from './tradeSteps.ts';

/** A pool of a token. Its state is read on the chain, from the block simulated on. */
export type TradeRequest = Omit<Market, 'base'> & {
  /** Zero: the native currency, of an entry of a manager. */
  readonly baseToken: Hex;
};

export interface TradeSimulator {
  /**
   * Tries a purchase and a sale on each pool, in the order given. Whatever a token, a pool or a
   * node's answer holds becomes an outcome, and so does a node that fails at simulations only.
   * @param head a recent block to stand on; what the node refuses there is tried once more on its own latest block
   * @throws RetryableError where the node does not even name its latest block.
   */
  simulate(requests: readonly TradeRequest[], head: Head): Promise<TradeSimulation[]>;
}

export interface TradeSimulatorPorts {
  readonly node: ChainNode;
  /** The wrapped native coin: the only base token that can be made from nothing but a balance. */
  readonly weth: Hex;
  readonly clock: Pick<Clock, 'now'>;
  /** Draws an unused address. Random by default, so that no token can know its tester. */
  readonly drawAddress?: () => Hex;
}

/**
 * Trades simulated side by side, in at most six times as many calls of a batch. Gas bounds what hostile
 * contracts can put into answers: about 12 MB a trade.
 */
const TRADES_PER_BATCH = 3;
/** Rounds of calls a trade may take: purchase, smaller purchases, sale with limits, later sale, limits again, the same without a hook. */
const ROUNDS_MAX = 6;
/** Milliseconds for which a node is believed to have no simulations. Nodes get upgraded. */
const UNSUPPORTED_MS = 600_000;
/** Milliseconds for which simulations are left alone after the node failed at them. */
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

/** Whether the node does not simulate on the block, as one that is behind does not. */
const isRefused = (simulation: TradeSimulation | undefined): boolean =>
  simulation?.kind === 'unknown' && simulation.reason.code === 'simulationRefused';

/** One trade under way: the simulations it waits for, or how it ended. */
interface Running {
  readonly steps: TradeSteps;
  state: ReturnType<TradeSteps['next']>;
}

/** Answers all trades that wait for simulations. False where the node has no such method. */
const advance = async (node: ChainNode, trades: readonly Running[]): Promise<boolean> => {
  const waiting = trades.map(({ state }) => (state.done === true ? [] : state.value));
  const params = waiting.flat().map((plan) => plan.params);
  const outcomes = await simulate((calls) => node.batch(calls), params);
  if (outcomes.some(isMethodMissing)) return false;
  let at = 0;
  for (const [i, trade] of trades.entries()) {
    const count = waiting[i]?.length ?? 0;
    if (count > 0) trade.state = trade.steps.next(outcomes.slice(at, at + count));
    at += count;
  }
  return true;
};

/** Brings all trades to their ends. Undefined where the node has no simulations. */
const finish = async (
  node: ChainNode,
  trades: readonly Running[],
): Promise<TradeSimulation[] | undefined> => {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    if (trades.every(({ state }) => state.done)) break;
    if (!(await advance(node, trades))) return undefined;
  }
  return trades.map(({ state }) => (state.done === true ? state.value : TOO_MANY_ROUNDS));
};

/**
 * Simulates trades with `eth_simulateV1`. This shows what happens to a buyer at this block, but not what an owner may switch on
 * later, so it complements the checks of bytecode.
 */
export const createTradeSimulator = (ports: TradeSimulatorPorts): TradeSimulator => {
  const { node, clock, drawAddress = randomAddress } = ports;
  const weth = ports.weth.toLowerCase() as Hex;
  let rest = { untilMs: 0, outcome: NO_METHOD };

  /** Leaves the node's simulations alone for a while: all trades end with `outcome`. */
  const restFor = (ms: number, outcome: TradeSimulation): TradeSimulation => {
    rest = { untilMs: clock.now() + ms, outcome };
    return outcome;
  };

  const start = (market: Market, head: Head): Running => {
    const [trader, router, friend] = [drawAddress(), drawAddress(), drawAddress()];
    const parts = { market, head, trader, router, friend };
    const steps = curveSteps(parts) ?? tradeSteps(parts);
    return { steps, state: steps.next([]) };
  };

  const trade = async (markets: readonly Market[], head: Head): Promise<TradeSimulation[]> => {
    try {
      const trades = markets.map((market) => start(market, head));
      const simulations = await finish(node, trades);
      return simulations ?? markets.map(() => restFor(UNSUPPORTED_MS, NO_METHOD));
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      if (!isTooLarge(error)) {
        await readHead(node);
        return markets.map(() => restFor(FAILING_MS, NO_ANSWER));
      }
      if (markets.length === 1) return [TOO_LARGE];
      // One by one, so that a loud token takes the simulation from no other.
      const alone: TradeSimulation[] = [];
      for (const market of markets) alone.push(...(await trade([market], head)));
      return alone;
    }
  };

  const simulateGroup = async (
    markets: readonly Market[],
    head: Head,
  ): Promise<TradeSimulation[]> => {
    if (clock.now() < rest.untilMs) return markets.map(() => rest.outcome);
    const simulations = await trade(markets, head);
    const refused = markets.filter((_market, i) => isRefused(simulations[i]));
    if (refused.length === 0) return simulations;
    const own = await readHead(node);
    const again = own ? await trade(refused, own) : refused.map(() => NO_HEAD);
    return simulations.map((one) => (isRefused(one) ? (again.shift() ?? one) : one));
  };

  return {
    simulate: async (requests, head) => {
      const tradable = requests.flatMap((request) => {
        const market = marketOf(request.token, request, weth);
        return market ? [{ request, market }] : [];
      });
      const outcomes = new Map<TradeRequest, TradeSimulation>();
      for (const group of slicesOf(tradable, TRADES_PER_BATCH)) {
        const markets = group.map(({ market }) => market);
        const simulations = await simulateGroup(markets, head);
        for (const [i, { request }] of group.entries()) {
          outcomes.set(request, simulations[i] ?? TOO_MANY_ROUNDS);
        }
      }
      return requests.map((request) => outcomes.get(request) ?? NOT_WETH);
    },
  };
};
