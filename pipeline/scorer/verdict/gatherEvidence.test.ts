import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { type EvidencePorts, gatherEvidence } from './gatherEvidence.ts';

const STORED = { number: 9, timestampS: 900 };
const tokenAt = (i: number): Hex => `0x${String(i).repeat(40)}`;
const [KNOWN, BEYOND, LATE] = [tokenAt(1), tokenAt(2), tokenAt(3)];
type Read = Parameters<typeof gatherEvidence>[2];

const subjectOf = (token: Hex) => {
  const market = { kind: 'reserves', pool: `${token.slice(0, -1)}f`, base: { route: [] } };
  return {
    request: { token, position: 1 },
    profile: { creator_address: tokenAt(8), code: '0x', created_at_s: 1 },
    asOf: { isLatest: true, atS: 900, block: { number: 9 } },
    pools: [],
    markets: [],
    market,
    main: market,
  };
};

describe('gatherEvidence', () => {
  it('tries nothing of tokens that wait for a later round', async () => {
    const asked: Record<string, readonly Hex[]> = {};
    const note = (what: string, of: readonly { readonly token: Hex }[]): void => {
      asked[what] = of.map(({ token }) => token);
    };
    const model = { predict: async () => [] };
    const ports: unknown = {
      contracts: {
        beyondRound: () => new Set([BEYOND]),
        study: async (_chain: number, subjects: readonly { readonly token: Hex }[]) => {
          note('contracts', subjects);
          return { known: new Map(), postponed: new Set([LATE]) };
        },
      },
      simulate: async (requests: readonly { readonly token: Hex }[]) => {
        note('trades', requests);
        return requests.map(() => undefined);
      },
      locks: {
        study: async (_chain: number, questions: readonly { readonly token: Hex }[]) => {
          note('locks', questions);
          return new Map();
        },
      },
      tryHolders: async () => [],
      holderSales: { read: async () => new Map() },
      wallets: { read: async () => new Map() },
      launches: { read: async () => new Map() },
      codeModel: model,
      isLive: () => true,
    };
    const read: unknown = {
      subjects: [KNOWN, BEYOND, LATE].map(subjectOf),
      facts: { touches: new Map(), transfers: new Map() },
      models: { model, lifeModel: model },
      profiles: new Map(),
    };
    const found = await gatherEvidence(ports as EvidencePorts, 1, read as Read, STORED);
    const tried = [KNOWN, LATE];
    assert.deepEqual(asked, { contracts: tried, trades: tried, locks: tried });
    assert.deepEqual(
      found.subjects.map(({ request }) => request.token),
      [KNOWN],
    );
    assert.deepEqual([...found.postponed], [BEYOND, LATE]);
  });
});
