import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as laterOn } from 'node:timers/promises';
import type { Hex } from '../../../shared/chain/block.ts';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { addressOf } from '../../../shared/testing/evmData.ts';
import type { FirstSeen } from '../ingest/touched.ts';
import { createTokenReader } from './tokenReader.ts';

const word = (value: number): Hex => `0x${value.toString(16).padStart(64, '0')}`;

const seenAs = (value: number): FirstSeen => ({
  token: addressOf(value),
  source: 'transfer',
  blockNumber: value,
  blockHash: word(value),
  timestampS: value,
  txHash: word(value),
  creator: addressOf(7),
});

describe('createTokenReader', () => {
  it('reads hundreds of candidates a few batches at a time, and answers in their order', async () => {
    let [underWay, underWayMost] = [0, 0];
    const answer = ({ method, params }: RpcCall): RpcOutcome => {
      if (method === 'eth_getCode') return { ok: true, result: '0x6001' };
      // Every call of a token returns its address, so its supply distinguishes it from the others.
      const { to, data } = params[0] as { to: Hex; data: string };
      return { ok: true, result: data === '0x313ce567' ? word(18) : word(Number(to)) };
    };
    const reader = createTokenReader({
      batch: async (calls) => {
        underWay += 1;
        underWayMost = Math.max(underWayMost, underWay);
        await laterOn();
        underWay -= 1;
        return calls.map(answer);
      },
    });
    const candidates = Array.from({ length: 250 }, (_, i) => seenAs(i + 1));
    const read = await reader.read(1, candidates);
    const supplies = read.map((one) => one.kind === 'token' && Number(one.record.totalSupply));
    assert.deepEqual(
      supplies,
      candidates.map(({ blockNumber }) => blockNumber),
    );
    assert.equal(underWayMost, 4);
  });
});
