import type { TradeSimulation } from '../../checks/checkInput.ts';

type Without<T> = T extends unknown ? Omit<T, 'shownBy'> : never;

/** What a trade showed, without the requests that show it: those hold drawn addresses. */
export const withoutRequests = (simulation: TradeSimulation): Without<TradeSimulation> => {
  if (!('shownBy' in simulation)) return simulation;
  const { shownBy: _shownBy, ...rest } = simulation;
  return rest as Without<TradeSimulation>;
};
