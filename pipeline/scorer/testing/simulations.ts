import assert from 'node:assert/strict';
import type { TradeSimulation } from '../checks/checkInput.ts';
import type { Head } from '../simulation/simulateParams.ts';
import type { ChainNode } from '../token/tokenReader.ts';

/** The same node without `eth_simulateV1`. */
export const withoutSimulations = (node: ChainNode): ChainNode => ({
  batch: async (calls) => {
    const known = calls.filter(({ method }) => method !== 'eth_simulateV1');
    const answers = (known.length > 0 ? await node.batch(known) : []).values();
    return calls.map(({ method }) =>
      method === 'eth_simulateV1'
        ? { ok: false, code: -32_601, message: 'method not found' }
        : (answers.next().value ?? assert.fail('an answer to each call')),
    );
  },
});

/** The latest block of a node. */
export const headOf = async (node: ChainNode): Promise<Head> => {
  const [answer] = await node.batch([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
  ]);
  assert(answer?.ok, 'the node names its latest block');
  const { number, timestamp } = answer.result as { number: string; timestamp: string };
  return { number: Number(number), timestampS: Number(timestamp) };
};

type Without<T> = T extends unknown ? Omit<T, 'shownBy'> : never;

/** Results of a trade without the requests, which contain random addresses. */
export const withoutRequests = (simulation: TradeSimulation): Without<TradeSimulation> => {
  if (!('shownBy' in simulation)) return simulation;
  const { shownBy: _shownBy, ...rest } = simulation;
  return rest as Without<TradeSimulation>;
};
