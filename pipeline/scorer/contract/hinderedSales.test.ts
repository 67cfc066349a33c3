import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import type { RpcCall, RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { sentence } from '../../../shared/sentences/sentence.ts';
import { address, ok, PROBE_STAGE, REVERTED } from '../testing/probe.ts';
import { findHinderedSale } from './hinderedSales.ts';

const UNBORN = address('9');
const STAGE = { ...PROBE_STAGE, stranger: address('8'), amount: 8_000n };

interface Asked {
  readonly blockStateCalls: readonly {
    readonly calls: readonly { readonly from: Hex }[];
    readonly stateOverrides?: Readonly<Record<Hex, object>>;
    readonly blockOverrides: { readonly time: Hex };
  }[];
}
/**
 * A node on which the last sale of some simulations fails, of all bought tokens or of a part, and another account may or
 * may not trade. Parts are sold after the first answers.
 */
const askOf = (fails: (asked: Asked, isPart: boolean) => boolean, strangerTrades = true) => {
  let isPart = false;
  return async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
    const outcomes = calls.map(({ params }) => {
      const asked = params[0] as Asked;
      const blocks = asked.blockStateCalls.map(({ calls: own }, at) =>
        own.map(({ from }, j) => {
          if (at === asked.blockStateCalls.length - 1) {
            if (j === 0) return fails(asked, isPart) ? REVERTED : ok(1);
            return ok(isPart ? 1_000 : 8_000, 400);
          }
          return from === STAGE.stranger && !strangerTrades ? REVERTED : ok(50_000, 8_000);
        }),
      );
      return { ok: true as const, result: blocks.map((own) => ({ calls: own })) };
    });
    isPart = true;
    return outcomes;
  };
};
const lengthOf = ({ blockStateCalls }: Asked): number => blockStateCalls.length;
const find = (fails: Parameters<typeof askOf>[0], strangerTrades?: boolean, mayCount = true) =>
  findHinderedSale(askOf(fails, strangerTrades), STAGE, { unborn: [UNBORN], mayCount });
const reason = sentence('revertsSilently');

describe('what keeps a sale from working', () => {
  it('is nothing where it works whatever comes before it', async () => {
    assert.equal(await find(() => false), undefined);
  });

  it('is a price that has fallen: a stranger buys much, and sells most of it', async () => {
    assert.deepEqual(await find((asked) => lengthOf(asked) === 4), { kind: 'fall', reason });
  });

  it('is a purchase of a stranger a minute before', async () => {
    const found = await find((asked) => lengthOf(asked) === 3);
    assert.deepEqual(found, { kind: 'purchase', reason });
  });

  it('is a crowd that buys, by the stranger with code of the simulation', async () => {
    const byCrowd = ({ blockStateCalls }: Asked): boolean =>
      blockStateCalls.some(
        ({ stateOverrides = {} }) => 'code' in Object(stateOverrides[STAGE.stranger]),
      );
    assert.deepEqual(await find(byCrowd), { kind: 'crowd', reason });
    assert.equal(await find(byCrowd, true, false), undefined, 'nothing counts');
  });

  it('is code at an address where nobody ever was', async () => {
    const found = await find(
      ({ blockStateCalls }) => UNBORN in (blockStateCalls.at(-1)?.stateOverrides ?? {}),
    );
    assert.deepEqual(found, { kind: 'code', address: UNBORN, reason });
  });

  it('is nothing where some of the tokens can be sold, or the stranger could not trade', async () => {
    assert.equal(await find((asked, isPart) => lengthOf(asked) === 4 && !isPart), undefined);
    assert.equal(await find((asked) => [3, 4].includes(lengthOf(asked)), false), undefined);
  });
});
