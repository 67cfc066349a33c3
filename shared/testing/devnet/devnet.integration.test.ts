import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Hex, keccak256, parseAbi, parseEther } from 'viem';
import { type Service, startAnvil } from '../services.ts';
import { CONTROL_NAME, createDevnet, type Devnet } from './createDevnet.ts';
import { DEVNET_ADDRESSES } from './devnetAddresses.ts';

import { readUniswapBytecodes } from './uniswap.ts';

const TEXT_ABI = parseAbi([
  'function name() view returns (string)',
  'function totalSupply() view returns (uint256)',
]);
/** keccak256("Transfer(address,address,uint256)") */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
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

  const deployPooled = async (kind: 'honest' | 'honeypot' | 'tax' | 'hiddenMint' | 'ruggable') => {
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

  it('has the pair bytecode whose hash the router was built with', () => {
    assert.equal(
      keccak256(readUniswapBytecodes().pair),
      '0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f',
    );
  });

  it('prices one ether at 2,000 dollars, and deploys Uniswap once', async () => {
    await devnet.deployUniswap();
    const { eth, token } = await devnet.reserves(DEVNET_ADDRESSES.stable);
    assert.equal(eth, parseEther('1000'));
    assert.equal(token, 2_000_000_000_000n);
  });

  it('trades an honest token both ways', async () => {
    const token = await deployPooled('honest');
    const bought = await devnet.buy(token.address, ALICE, 1);
    const held = await devnet.balanceOf(token.address, devnet.address(ALICE));
    const sold = await devnet.sell(token.address, ALICE);
    assert.deepEqual([bought.status, sold.status], ['success', 'success']);
    assert(held > 0n);
    assert.equal(await devnet.balanceOf(token.address, devnet.address(ALICE)), 0n);
  });

  it('lets anyone buy a honeypot, and only its owner sell', async () => {
    const token = await deployPooled('honeypot');
    const bought = await devnet.buy(token.address, ALICE, 1);
    const sold = await devnet.sell(token.address, ALICE);
    const soldByOwner = await devnet.sell(token.address, token.creator, 0.1);
    assert.deepEqual(
      [bought.status, sold.status, soldByOwner.status],
      ['success', 'reverted', 'success'],
    );
  });

  it('keeps 25 % of what is sold of a tax token, until the owner changes it', async () => {
    const token = await deployPooled('tax');
    await devnet.buy(token.address, ALICE, 1);
    const taxOf = async (fraction: number): Promise<bigint> => {
      const heldBefore = await devnet.balanceOf(token.address, devnet.address(ALICE));
      const pooledBefore = (await devnet.reserves(token.address)).token;
      await devnet.sell(token.address, ALICE, fraction);
      const sold = heldBefore - (await devnet.balanceOf(token.address, devnet.address(ALICE)));
      const pooled = (await devnet.reserves(token.address)).token - pooledBefore;
      return ((sold - pooled) * 100n + sold / 2n) / sold;
    };
    assert.equal(await taxOf(0.5), 25n);
    await devnet.setSellTax(token, 90);
    assert.equal(await taxOf(0.5), 90n);
  });

  it('mints under an innocent name', async () => {
    const token = await deployPooled('hiddenMint');
    await devnet.mintHidden(token, devnet.address(BOB), 5n);
    assert.equal(await devnet.balanceOf(token.address, devnet.address(BOB)), 5n);
  });

  it('drains the pool when the creator pulls the liquidity', async () => {
    const token = await deployPooled('ruggable');
    await devnet.buy(token.address, ALICE, 1);
    await devnet.removeLiquidity(token);
    const { eth } = await devnet.reserves(token.address);
    assert(eth < parseEther('0.001'), `${eth} wei left`);
  });

  it('keeps liquidity in the pool once its shares are burned', async () => {
    const token = await deployPooled('honest');
    await devnet.burnLiquidity(token);
    await assert.rejects(devnet.removeLiquidity(token));
    assert.equal((await devnet.reserves(token.address)).eth, parseEther('10'));
  });

  it('makes tokens by factories, which no receipt names', async () => {
    for (const kind of ['factoryCreate', 'factoryCreate2', 'factoryConstructor'] as const) {
      const token = await devnet.deployToken(kind);
      assert.notEqual(token.deployment.contractAddress, token.address);
      assert.equal(
        await devnet.balanceOf(token.address, devnet.address(token.creator)),
        parseEther('1000000'),
      );
    }
  });

  it('answers hostile names', async () => {
    const nameOf = async (kind: 'hugeName' | 'controlName' | 'revertingName' | 'bytes32Name') => {
      const { address } = await devnet.deployToken(kind);
      return devnet.publicClient.readContract({ address, abi: TEXT_ABI, functionName: 'name' });
    };
    assert.equal((await nameOf('hugeName')).length, 1_000_000);
    assert.equal(await nameOf('controlName'), CONTROL_NAME);
    await assert.rejects(nameOf('revertingName'));
    await assert.rejects(nameOf('bytes32Name'), 'a bytes32 cannot be decoded as a string');
  });

  it('emits transfers that are none', async () => {
    const [from, to] = [devnet.address(ALICE), devnet.address(BOB)];
    const fake = await devnet.deployToken('fakeTransfer');
    const fake721 = await devnet.deployToken('fakeErc721');
    const emitted = await devnet.emitTransfer(fake, from, to, 7n);
    const emitted721 = await devnet.emitTransfer(fake721, from, to, 7n);
    const topics = [emitted, emitted721].map(({ logs }) => logs[0]?.topics ?? []);
    assert.deepEqual(
      topics.map((list) => [list[0], list.length]),
      [
        [TRANSFER_TOPIC, 3],
        [TRANSFER_TOPIC, 4],
      ],
    );
    const { address } = await devnet.deployToken('noToken');
    await assert.rejects(devnet.balanceOf(address, from));
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
    await devnet.setNextBlockTimestamp(hourLater + 86_400);
    assert.equal(await timeOfNextBlock(), hourLater + 86_400);
  });

  it('replaces blocks by a reorg, with other transactions in them', async () => {
    const token = await deployPooled('honest');
    await devnet.buy(token.address, ALICE, 1);
    await devnet.mine(4);
    const head = Number(await devnet.publicClient.getBlockNumber({ cacheTime: 0 }));
    const hashesBefore = await hashesUpTo(head);
    const value = parseEther('1');
    await devnet.reorg(5, [{ offset: 1, from: BOB, to: devnet.address(ALICE), value }]);
    const hashesAfter = await hashesUpTo(head);
    const changed = hashesAfter.flatMap((hash, number) =>
      hash === hashesBefore[number] ? [] : [number],
    );
    assert.deepEqual(
      changed,
      [4, 3, 2, 1, 0].map((back) => head - back),
    );
    assert.equal(await devnet.balanceOf(token.address, devnet.address(ALICE)), 0n);
    const block = await devnet.publicClient.getBlock({ blockNumber: BigInt(head - 3) });
    assert.equal(block.transactions.length, 1);
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
