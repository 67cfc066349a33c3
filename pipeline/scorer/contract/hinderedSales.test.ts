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
    readonly stateOverrides?: object;
    readonly blockOverrides: { readonly time: Hex };
  }[];
}
/** A node on which the last sale of some simulations fails, and a stranger trades or not. */
const askOf =
  (fails: (asked: Asked, part: number) => boolean, strangerTrades = true) =>
  async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> =>
    calls.map(({ params }, i) => {
      const asked = params[0] as Asked;
      const blocks = asked.blockStateCalls.map(({ calls: own }, at) =>
        own.map(({ from }, j) => {
          if (at === asked.blockStateCalls.length - 1) {
            if (j === 0) return fails(asked, i % 2) ? REVERTED : ok(1);
            return ok(i % 2 === 0 ? 8_000 : 1_000, 400);
          }
          return from === STAGE.stranger && !strangerTrades ? REVERTED : ok(50_000, 8_000);
        }),
      );
      return { ok: true, result: blocks.map((own) => ({ calls: own })) };
    });
const lengthOf = ({ blockStateCalls }: Asked): number => blockStateCalls.length;
const find = (fails: Parameters<typeof askOf>[0], strangerTrades?: boolean) =>
  findHinderedSale(askOf(fails, strangerTrades), STAGE, [UNBORN]);
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

  it('is code at an address where nobody ever was', async () => {
    const found = await find(
      ({ blockStateCalls }) => UNBORN in (blockStateCalls.at(-1)?.stateOverrides ?? {}),
    );
    assert.deepEqual(found, { kind: 'code', address: UNBORN, reason });
  });

  it('is nothing where some of the tokens can be sold, or the stranger could not trade', async () => {
    assert.equal(await find((asked, part) => lengthOf(asked) === 4 && part === 0), undefined);
    assert.equal(await find((asked) => lengthOf(asked) > 2, false), undefined);
  });
});
