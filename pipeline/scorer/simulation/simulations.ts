import type { HolderTrials } from '../checks/checkInput.ts';
import { type HeldToken, tryHolders } from './holderTrials.ts';
import type { Head } from './simulateParams.ts';
import {
  createTradeSimulator,
  type TradeSimulator,
  type TradeSimulatorPorts,
} from './simulateTrade.ts';

/** What a node tries of a token. */
export interface Simulations {
  /** Tries a purchase and a sale on each main pool; `unknown` where that cannot be done now. */
  readonly simulate: TradeSimulator['simulate'];
  /** Tries sales of wallets that bought; undefined where that cannot be done now. */
  readonly tryHolders: (
    held: readonly HeldToken[],
    head: Head,
  ) => Promise<(HolderTrials | undefined)[]>;
}

export const createSimulations = (ports: TradeSimulatorPorts): Simulations => {
  const simulator = createTradeSimulator(ports);
  return {
    simulate: (requests, head) => simulator.simulate(requests, head),
    tryHolders: (held, head) => tryHolders(ports.node, held, head),
  };
};
