import assert from 'node:assert/strict';
import type { ChainNode } from '../../../pipeline/scorer/token/tokenReader.ts';

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
