import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import { topicOf } from '../../../shared/testing/evmData.ts';
import type { RingRow } from '../rings/ringRow.ts';

const JOINED_S = 1_700_000_000;

/** The ring `cl_1`, whose first wallet is its master and funds the others. */
export const ringRow = (wallets: readonly Hex[], changes: Partial<RingRow> = {}): RingRow => ({
  id: 'cl_1',
  name: 'Ring 1',
  riskScore: 80,
  tokensCreated: 2,
  scams: 1,
  stolenUsd: 12.5,
  victims: 3,
  firstSeenS: JOINED_S,
  lastActivityS: JOINED_S + 100,
  members: wallets.map((wallet, i) => ({
    wallet,
    role: i === 0 ? 'master' : 'puppet',
    riskScore: 50,
    joinedAtS: JOINED_S,
  })),
  evidence: wallets.slice(1).map((to) => ({
    rule: 'common_funder',
    from: wallets[0] ?? ZERO_ADDRESS,
    to,
    confidence: 0.9,
    tx: topicOf(7),
    block: 5,
  })),
  ...changes,
});
