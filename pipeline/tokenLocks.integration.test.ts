import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseAbi, parseEther } from 'viem';
import { z } from 'zod';
import { createFakePorts } from '../api/testing/fakePorts.ts';
import { startApp } from '../api/testing/startApp.ts';
import { createTokens } from '../api/tokens/createTokens.ts';
import type { Hex } from '../shared/chain/block.ts';
import type { VerdictDoc } from '../shared/messages/verdictDoc.ts';
import type { Devnet, DevnetToken, LockerKind } from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_ADDRESSES } from '../shared/testing/devnet/devnetAddresses.ts';
import { createSend } from '../shared/testing/devnet/devnetNode.ts';
import { deployUniswapV3 } from '../shared/testing/devnet/uniswapV3.ts';
import { createLockReader } from './alerts/lockReader.ts';
import type { SimulatedBlocks } from './scorer/simulation/callSequence.ts';
import { decodeWords } from './scorer/simulation/evmCode.ts';
import {
  CHAIN_ID,
  checkOf,
  failedIds,
  scoreDue,
  startDevnetScorer,
} from './testing/devnetScorer.ts';

const YEAR_S = 31_536_000;
const ABI = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function lock(address asset, uint256 amount, uint256 unlockAt)',
  'function relock(uint256 id, uint256 unlockAt)',
  'function withdraw(uint256 id, uint256 amount)',
  'function rescue(address asset)',
  'function lockPosition(address manager, uint256 id, uint256 unlockAt)',
  'function extendLockDuration(uint256 lockId, uint256 unlockAt)',
  'function withdrawTokens(uint256 lockId)',
]);
const POOLED = { eth: parseEther('10'), tokens: parseEther('1000000') };

/** Lockers of liquidity tokens, and the result for a token whose liquidity is in one. */
const LIQUIDITY_CASES = [
  { locker: 'HonestLocker', prediction: 'LEGIT', fails: [], belief: 'behaviour', share: 0.75 },
  { locker: 'OpenLocker', prediction: 'SCAM', fails: ['fake_lock'], belief: 'fake', share: 0 },
  { locker: 'EmergencyLocker', prediction: 'SCAM', fails: ['fake_lock'], belief: 'fake', share: 0 },
  { locker: 'SwitchLocker', prediction: 'SCAM', fails: ['fake_lock'], belief: 'fake', share: 0 },
  { locker: 'ShortLocker', prediction: 'SCAM', fails: ['fake_lock'], belief: 'fake', share: 0 },
  { locker: 'EmptyLocker', prediction: 'SCAM', fails: ['fake_lock'], belief: 'fake', share: 0 },
] as const;

describe('tokens with locks', () => {
  let stack: Awaited<ReturnType<typeof startDevnetScorer>>;
  let devnet: Devnet;
  let send: ReturnType<typeof createSend<typeof ABI>>;
  let uniswap: Awaited<ReturnType<typeof deployUniswapV3>>;
  let nowS = 0;
  let account = 100;
  /** The token of each liquidity case, its locker, and the locked amount. */
  const cases: {
    readonly token: DevnetToken;
    readonly pair: Hex;
    readonly locker: Hex;
    readonly amount: bigint;
  }[] = [];

  before(async () => {
    stack = await startDevnetScorer();
    ({ devnet } = stack);
    send = createSend(devnet, ABI, 2_000_000n);
    uniswap = await deployUniswapV3(devnet);
    nowS = Number((await devnet.publicClient.getBlock()).timestamp);
    for (const { locker: name } of LIQUIDITY_CASES) {
      const { token, pair } = await launch();
      const locker = await deployLocker(token.creator, name);
      const amount = await lock(token.creator, locker, pair, { share: 0.75 });
      cases.push({ token, pair, locker, amount });
    }
    await stack.takeIn();
    await scoreDue(stack);
  });
  after(() => stack?.stop());

  const nextAccount = async (): Promise<number> => {
    account += 1;
    await devnet.setBalance(devnet.address(account), parseEther('1000'));
    return account;
  };
  const deployLocker = async (from: number, kind: LockerKind): Promise<Hex> =>
    (await devnet.deployLocker(kind, from)).toLowerCase() as Hex;
  /** An honest token with a Uniswap V2 pool whose liquidity the creator still has. */
  const launch = async (): Promise<{ token: DevnetToken; pair: Hex }> => {
    const token = await devnet.deployToken('honest', { creator: await nextAccount() });
    await devnet.addLiquidity(token, 10);
    return { token, pair: (await devnet.pairOf(token.address)).toLowerCase() as Hex };
  };
  const lock = async (
    from: number,
    locker: Hex,
    asset: Hex,
    { share, forS = YEAR_S }: { share: number; forS?: number },
  ): Promise<bigint> => {
    const balance = await devnet.balanceOf(asset, devnet.address(from));
    const amount = (balance * BigInt(Math.round(share * 1_000))) / 1_000n;
    await send(from, asset, 'approve', [locker, amount]);
    await send(from, locker, 'lock', [asset, amount, BigInt(nowS + forS)]);
    return amount;
  };
  /**
   * Sends the evidence to the node: the locker's holdings must be zero, or considerably less after the calls.
   */
  const replay = async (doc: VerdictDoc): Promise<void> => {
    const { evidence = [] } = checkOf(doc, 'fake_lock') ?? assert.fail('no such check');
    assert.ok(evidence.length > 0);
    for (const { request } of evidence) {
      assert.ok(request);
      const [outcome] = await stack.node.batch([request]);
      assert.ok(outcome?.ok, JSON.stringify(outcome));
      if (request.method === 'eth_call') {
        assert.equal(BigInt(String(outcome.result)), 0n);
        continue;
      }
      const calls = (outcome.result as SimulatedBlocks)[0]?.calls ?? [];
      const [first, last] = [calls[0], calls.at(-1)];
      const [before, left] = [first, last].map(
        (one) => decodeWords(one?.returnData ?? '0x', 1)?.[0],
      );
      assert.ok(before !== undefined && left !== undefined && left !== before);
    }
  };

  for (const [place, one] of LIQUIDITY_CASES.entries()) {
    const { locker: name, prediction, fails, belief, share } = one;
    it(`liquidity in a ${name} makes it ${prediction}`, async () => {
      const { token, pair, locker, amount } = cases[place] ?? assert.fail(name);
      const { prediction: judged, doc } = await stack.verdict(token.address);
      assert.deepEqual([judged, failedIds(doc)], [prediction, fails]);
      assert.ok(Math.abs((doc.features['lp_locked_share'] ?? -1) - share) < 1e-4);
      const [found] = doc.locks ?? [];
      const { kind, market, owner, state, unlock_at_s } = found ?? {};
      assert.deepEqual(
        { kind, market, owner, state, unlock_at_s, belief: found?.belief, locker: found?.locker },
        {
          kind: 'liquidity',
          market: pair,
          owner: devnet.address(token.creator).toLowerCase(),
          state: 'locked',
          unlock_at_s: nowS + YEAR_S,
          belief,
          locker,
        },
      );
      assert.equal(found?.amount, name === 'EmptyLocker' ? '0' : String(amount));
      if (prediction === 'SCAM') await replay(doc);
      else {
        assert.equal(checkOf(doc, 'fake_lock')?.status, 'pass');
        assert.equal(doc.features['lp_unlock_at'], nowS + YEAR_S);
        // The market model's view of it.
        assert.ok(Math.abs((doc.features['lpLockedShare'] ?? 0) - share) < 1e-4);
      }
    });
  }

  it('a lock that is made longer, and one that is over, say so', async () => {
    const { token, pair } = await launch();
    const locker = await deployLocker(token.creator, 'HonestLocker');
    const until = nowS + 2 * YEAR_S;
    await lock(token.creator, locker, pair, { share: 0.5 });
    await send(token.creator, locker, 'relock', [1n, BigInt(until)]);
    // The second one has ended when it is created.
    const amount = await lock(token.creator, locker, pair, { share: 1, forS: -60 });
    await send(token.creator, locker, 'withdraw', [2n, amount]);
    const doc = await stack.scored(token.address, 'LEGIT', []);
    const shown = doc.locks?.map(({ lock_id, extended, withdrawn, state, belief }) => {
      return { lock_id, extended, withdrawn, state, belief };
    });
    assert.deepEqual(shown, [
      { lock_id: '1', extended: 1, withdrawn: '0', state: 'locked', belief: 'behaviour' },
      {
        lock_id: '2',
        extended: 0,
        withdrawn: String(amount),
        state: 'withdrawn',
        belief: 'unknown',
      },
    ]);
    assert.equal(doc.features['lp_unlock_at'], until);

    const rows = await stack.clickhouse.query(
      `SELECT lock_id, kind, locker, market, toString(withdrawn) AS taken, unlock_at, state, belief FROM locks WHERE token = {token:String} ORDER BY lock_id`,
      { token: token.address },
      z.record(z.unknown()),
    );
    const common = { kind: 'liquidity', locker, market: pair };
    const first = { ...common, lock_id: '1', taken: '0', unlock_at: until };
    const second = { ...common, lock_id: '2', taken: String(amount), unlock_at: nowS - 60 };
    assert.deepEqual(rows, [
      { ...first, state: 'locked', belief: 'behaviour' },
      { ...second, state: 'withdrawn', belief: 'unknown' },
    ]);

    const reader = createLockReader(stack.clickhouse, {
      chainId: CHAIN_ID,
      bases: [DEVNET_ADDRESSES.weth],
    });
    const ending = await reader.ending(until - 1, until);
    assert.deepEqual(
      ending.map(({ token: of, kind, lockId, unlockAtS }) => ({ of, kind, lockId, unlockAtS })),
      [{ of: token.address, kind: 'liquidity', lockId: '1', unlockAtS: until }],
    );
    assert.ok(Math.abs((ending[0]?.share ?? 0) - 0.5) < 1e-4);
    assert.deepEqual(await reader.ending(until, until + YEAR_S), []);
    assert.ok((await reader.lockers()).includes(locker));
    const places = await reader.at([{ asset: pair, position: '0' }]);
    assert.deepEqual(places.map(({ lockId }) => lockId).toSorted(), ['1', '2']);

    const { ports, keys } = createFakePorts({ tokens: createTokens(stack.clickhouse, CHAIN_ID) });
    const app = await startApp(ports);
    try {
      const { key } = keys.add('pro');
      const { body } = await app.call(`/api/tokens/${token.address}/locks`, { key });
      const unlockAt = new Date(until * 1_000).toISOString().replace('.000', '');
      assert.deepEqual([body.data.lp_unlock_at, body.data.locks.length], [unlockAt, 2]);
      assert.deepEqual(body.data.locks[0].unlock_at, unlockAt);
      const { body: detail } = await app.call(`/tokens/${token.address}`, { key });
      assert.deepEqual(detail.data.locks, body.data.locks);
    } finally {
      await app.close();
    }
  });

  it('supply in a locker that keeps its word is locked', async () => {
    const { token } = await launch();
    const locker = await deployLocker(await nextAccount(), 'SupplyLocker');
    await lock(token.creator, locker, token.address, { share: 0.5 });
    const doc = await stack.scored(token.address, 'LEGIT', []);
    assert.equal(doc.features['supply_locked_share'], 0.25);
    assert.equal(doc.locks?.[0]?.kind, 'supply');
  });

  it('a stranger who logs a lock of the token, or locks a little of it badly, says nothing of it', async () => {
    const { token, pair } = await launch();
    const stranger = await nextAccount();
    await devnet.transfer(
      token.address,
      token.creator,
      devnet.address(stranger),
      parseEther('50000'),
    );
    const [empty, open] = [
      await deployLocker(stranger, 'EmptyLocker'),
      await deployLocker(stranger, 'OpenLocker'),
    ];
    await send(stranger, empty, 'lock', [pair, 1n, BigInt(nowS + YEAR_S)]);
    await lock(stranger, open, token.address, { share: 1 });
    const doc = await stack.scored(token.address, 'LEGIT', []);
    assert.deepEqual(
      doc.locks?.map(({ belief }) => belief),
      ['fake', 'fake'],
    );
  });

  it('most of the liquidity in an OpenLocker is a fake lock, whoever put it there', async () => {
    const { token, pair } = await launch();
    const friend = await nextAccount();
    const all = await devnet.balanceOf(pair, devnet.address(token.creator));
    await devnet.transfer(pair, token.creator, devnet.address(friend), all);
    const locker = await deployLocker(friend, 'OpenLocker');
    await lock(friend, locker, pair, { share: 0.75 });
    const doc = await stack.scored(token.address, 'SCAM', ['fake_lock']);
    await replay(doc);
  });

  it('a lock that a reorg took back is no more', async () => {
    const { token, pair } = await launch();
    const locker = await deployLocker(token.creator, 'OpenLocker');
    await stack.takeIn();
    await lock(token.creator, locker, pair, { share: 0.75 });
    await stack.scored(token.address, 'SCAM');
    // The approval and the lock.
    await stack.takeBack(2);
    assert.equal((await stack.scored(token.address, 'LEGIT')).locks, undefined);
  });

  describe('in a pool of Uniswap V3', () => {
    const lockPosition = async (name: LockerKind) => {
      const token = await devnet.deployToken('honest', { creator: await nextAccount() });
      const { position, pool } = await uniswap.launch(token.creator, token.address, POOLED);
      const manager = uniswap.positions.toLowerCase() as Hex;
      const locker = await deployLocker(token.creator, name);
      await send(token.creator, manager, 'approve', [locker, position.tokenId]);
      const until = BigInt(nowS + YEAR_S);
      await send(token.creator, locker, 'lockPosition', [manager, position.tokenId, until]);
      return { token, position, pool, locker };
    };

    it('a position in a locker that keeps its word is locked, also for longer', async () => {
      const { token, position, pool, locker } = await lockPosition('PositionLocker');
      const doc = await stack.scored(token.address, 'LEGIT', []);
      assert.equal(doc.features['lp_locked_share'], 1);
      const [found] = doc.locks ?? [];
      assert.deepEqual(
        [found?.kind, found?.market, found?.position, found?.amount, found?.belief],
        [
          'position',
          pool.address.toLowerCase(),
          String(position.tokenId),
          String(position.liquidity),
          'behaviour',
        ],
      );
      const until = nowS + 3 * YEAR_S;
      await send(token.creator, locker, 'extendLockDuration', [0n, BigInt(until)]);
      const { doc: longer } = await stack.score(token.address);
      assert.deepEqual([longer.features['lp_unlock_at'], longer.locks?.[0]?.extended], [until, 1]);
      const place = {
        asset: uniswap.positions.toLowerCase() as Hex,
        position: String(position.tokenId),
      };
      const endingSoon = await createLockReader(stack.clickhouse, {
        chainId: CHAIN_ID,
        bases: [DEVNET_ADDRESSES.weth],
      }).at([place]);
      assert.deepEqual(
        endingSoon.map(({ token: of, kind, unlockAtS, share }) => [of, kind, unlockAtS, share]),
        [[token.address, 'position', until, 1]],
      );
    });

    it('a position in one that gives it back at any time is a fake lock', async () => {
      const { token, locker } = await lockPosition('OpenPositionLocker');
      const doc = await stack.scored(token.address, 'SCAM', ['fake_lock']);
      await replay(doc);
      await send(token.creator, locker, 'withdrawTokens', [0n]);
      const { doc: later } = await stack.score(token.address);
      assert.equal(later.locks?.[0]?.state, 'withdrawn');
    });
  });
});
