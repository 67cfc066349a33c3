import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Hex, parseEther } from 'viem';
import { type Service, startAnvil } from '../services.ts';
import { createDevnet, type Devnet } from './createDevnet.ts';
import { DEVNET_ADDRESSES } from './devnetAddresses.ts';

const ALICE = 1;
const BOB = 2;

describe('devnet', () => {
  let anvil: Service;
  let devnet: Devnet;

  before(async () => {
    anvil = await startAnvil();
    devnet = await createDevnet({ url: anvil.url });
    await devnet.deployUniswap();
  });

  after(async () => {
    await anvil.stop();
  });

  const deployPooled = async (kind: 'honest' | 'hiddenMint') => {
    const token = await devnet.deployToken(kind);
    await devnet.addLiquidity(token, 10);
    return token;
  };

  const hashesUpTo = async (last: number): Promise<Hex[]> => {
    const numbers = Array.from({ length: last + 1 }, (_, number) => BigInt(number));
    const blocks = numbers.map(async (blockNumber) =>
      devnet.publicClient.getBlock({ blockNumber }),
    );
    return (await Promise.all(blocks)).map(({ hash }) => hash);
  };

  it('prices one ether at 2,000 dollars, and deploys Uniswap once', async () => {
    await devnet.deployUniswap();
    const { eth, token } = await devnet.reserves(DEVNET_ADDRESSES.stable);
    assert.equal(eth, parseEther('1000'));
    assert.equal(token, 2_000_000_000_000n);
  });

  it('mints under an innocent name', async () => {
    const token = await deployPooled('hiddenMint');
    await devnet.mintHidden(token, devnet.address(BOB), 5n);
    assert.equal(await devnet.balanceOf(token.address, devnet.address(BOB)), 5n);
  });

  it('gives each transaction its own block, and those of a batch the same', async () => {
    const token = await deployPooled('honest');
    const alone = await devnet.buy(token.address, ALICE, 0.1);
    const next = await devnet.buy(token.address, ALICE, 0.1);
    assert.equal(next.blockNumber, alone.blockNumber + 1);
    const together = await devnet.batch(() => [
      devnet.buy(token.address, ALICE, 0.1),
      devnet.buy(token.address, ALICE, 0.1),
      devnet.sell(token.address, ALICE, 0.5),
      devnet.transfer(token.address, token.creator, devnet.address(BOB), 3n),
    ]);
    assert.deepEqual(new Set(together.map(({ blockNumber }) => blockNumber)).size, 1);
    assert(together.every(({ status }) => status === 'success'));
    const later = await devnet.buy(token.address, ALICE, 0.1);
    assert.equal(later.blockNumber, next.blockNumber + 2);
  });

  it('goes back to a block per transaction when a part of a batch fails', async () => {
    const token = await deployPooled('honest');
    const { address: noToken } = await devnet.deployToken('noToken');
    const failing = devnet.batch(() => [
      devnet.buy(token.address, ALICE, 0.1),
      devnet.sell(noToken, ALICE),
    ]);
    await assert.rejects(failing);
    const alone = await devnet.buy(token.address, BOB, 0.1);
    const next = await devnet.buy(token.address, BOB, 0.1);
    assert.equal(next.blockNumber, alone.blockNumber + 1);
  });

  it('moves time', async () => {
    const timeOfNextBlock = async (): Promise<number> => {
      await devnet.mine(1);
      return Number((await devnet.publicClient.getBlock()).timestamp);
    };
    const start = await timeOfNextBlock();
    await devnet.increaseTime(3_600);
    const hourLater = await timeOfNextBlock();
    assert(hourLater >= start + 3_600, `${hourLater - start} s`);
  });

  it('replaces blocks by a reorg', async () => {
    const token = await deployPooled('honest');
    await devnet.buy(token.address, ALICE, 1);
    await devnet.mine(4);
    const head = Number(await devnet.publicClient.getBlockNumber({ cacheTime: 0 }));
    const hashesBefore = await hashesUpTo(head);
    await devnet.reorg(5);
    const hashesAfter = await hashesUpTo(head);
    const changed = hashesAfter.flatMap((hash, number) =>
      hash === hashesBefore[number] ? [] : [number],
    );
    assert.deepEqual(
      changed,
      [4, 3, 2, 1, 0].map((back) => head - back),
    );
    assert.equal(await devnet.balanceOf(token.address, devnet.address(ALICE)), 0n);
  });

  it('replaces empty blocks by others, as often as it is asked to', async () => {
    // So many that their base fee does not change any more.
    await devnet.mine(200, 1);
    for (let i = 0; i < 3; i += 1) {
      const head = Number(await devnet.publicClient.getBlockNumber({ cacheTime: 0 }));
      const before = await hashesUpTo(head);
      await devnet.reorg(6);
      const after = await hashesUpTo(head);
      const same = after.filter((hash, number) => hash === before[number]);
      assert.equal(same.length, head + 1 - 6);
    }
  });

  it('replaces 64 blocks', async () => {
    const { hash } = await devnet.transfer(
      (await devnet.deployToken('honest')).address,
      0,
      devnet.address(BOB),
      1n,
    );
    await devnet.mine(63);
    await devnet.reorg(64);
    await assert.rejects(devnet.publicClient.getTransactionReceipt({ hash }));
  });
});
