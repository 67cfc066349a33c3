import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Hex, ZERO_ADDRESS, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { BlocksEvent } from '../../../shared/chain/chainEvent.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { WALLET_FEATURES } from '../../../shared/messages/featureNames.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import { blocksEvent } from '../../../shared/testing/blocksEvent.ts';
import { clickhouse, emptyTables } from '../../../shared/testing/tables.ts';
import { sampleToken } from '../../testing/sampleToken.ts';
import { createRandom } from '../../training/syntheticPools.ts';
import { createFactStore } from '../ingest/factStore.ts';
import { createPoolStore } from '../pool/poolStore.ts';
import { NO_CACHE } from '../readCache.ts';
import { createTokenStore } from '../token/tokenStore.ts';
import { readTransfers } from './transferStore.ts';
import { type FirstFunding, type WalletSeries, walletFeatures } from './walletFeatures.ts';
import { createWalletStore } from './walletStore.ts';

const CHAIN_ID = 137;
const TOKENS = 12;
const WALLETS = 30;
const TRANSFERS_MAX = 120;
const FIRST_S = 1_640_000_000;
const BLOCK_S = 2;
/** Tokens are created this long after the record begins. */
const CREATED_S = FIRST_S + 8 * 86_400;
const LAST_S = CREATED_S + 86_400;
const WRAPPED: Hex = '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270';

const address = (space: string, number: number): Hex =>
  `0x${space}${number.toString(16).padStart(36, '0')}`;
const heightAt = (timestampS: number): number => Math.floor((timestampS - FIRST_S) / BLOCK_S);
const timeOf = (height: number): number => FIRST_S + height * BLOCK_S;
const hashOf = (height: number): Hex => `0x${height.toString(16).padStart(64, 'b')}`;
const quantity = (raw: bigint): Hex => `0x${raw.toString(16)}`;

type Move = { height: number; from: Hex; to: Hex; value: bigint };
type Invented = { token: Hex; pool: Hex; creator: Hex; moves: Move[] };

const wallet = (i: number): Hex => address('bbbb', i);

/** Tokens whose supply moves between a few wallets, a pool and a burn address. */
const invent = (random: () => number): Invented[] =>
  Array.from({ length: TOKENS }, (_, i) => {
    const [token, pool, creator] = [address('aaaa', i), address('cccc', i), wallet(i % 5)];
    const places = [pool, address('0000', 0xdead), ...Array.from({ length: 8 }, () => creator)];
    const balances = new Map<Hex, bigint>([[creator, 10n ** 24n]]);
    let height = heightAt(CREATED_S);
    const moves: Move[] = [{ height, from: ZERO_ADDRESS, to: creator, value: 10n ** 24n }];
    const count = Math.floor(random() * TRANSFERS_MAX);
    for (let n = 0; n < count; n += 1) {
      height += Math.floor(random() * 200);
      const owners = [...balances].filter(([, balance]) => balance > 0n);
      const [from, balance] = owners[Math.floor(random() * owners.length)] ?? [creator, 0n];
      const to =
        random() < 0.3
          ? (places[Math.floor(random() * places.length)] ?? pool)
          : wallet(Math.floor(random() * WALLETS));
      const value = (balance * BigInt(Math.floor(random() * 1_001))) / 1_000n;
      balances.set(from, balance - value);
      balances.set(to, (balances.get(to) ?? 0n) + value);
      moves.push({ height, from, to, value });
    }
    return { token, pool, creator, moves };
  });

/** The initial funding of most wallets, by two senders: the first one created the first token itself. */
const inventFundings = (random: () => number): (Move & { byCreator: boolean })[] =>
  Array.from({ length: WALLETS }, (_, i) => {
    const height = heightAt(FIRST_S + Math.floor(random() * 8.5 * 86_400));
    const byCreator = i % 2 === 1 && timeOf(height) >= CREATED_S;
    const from = i % 2 === 1 ? wallet(0) : address('dddd', 1);
    return { height, from, to: wallet(i), value: 10n ** 18n, byCreator };
  }).filter((_, i) => i % 7 !== 6);

const blocksOf = (market: readonly Invented[], fundings: readonly Move[]): BlocksEvent => {
  const blocks = new Map<number, Fact[]>();
  const put = (height: number, fact: (place: number) => Fact): void => {
    const facts = blocks.get(height) ?? [];
    blocks.set(height, [...facts, fact(facts.length)]);
  };
  for (const { height, from, to, value } of fundings) {
    const txHash = hashOf(height);
    const paid = { from, to, value: quantity(value), txHash };
    put(height, (txIndex) => ({ kind: 'nativeTransfer', ...paid, txIndex }));
  }
  for (const { token, moves } of market) {
    for (const { height, from, to, value } of moves) {
      const sent = { token, from, to, value: quantity(value), txHash: ZERO_HASH, txIndex: 0 };
      put(height, (logIndex) => ({ kind: 'transfer', ...sent, logIndex }));
    }
  }
  const ascending = [...blocks].toSorted(([a], [b]) => a - b);
  const listed = ascending.map(([number, facts]) => {
    return { number, hash: hashOf(number), timestampS: timeOf(number), facts };
  });
  return blocksEvent(listed, { chainId: CHAIN_ID });
};

const store = async (clickhouse: Clickhouse, market: readonly Invented[], fundings: Move[]) => {
  await createFactStore(clickhouse).insert([blocksOf(market, fundings)]);
  const pools = market.map(({ pool, token }) => ({ pool, token0: token, token1: WRAPPED }));
  await createPoolStore(clickhouse).insert(CHAIN_ID, pools, 0);
  const [createdBlock, createdAtS] = [heightAt(CREATED_S), CREATED_S];
  const tokens = market.map(({ token, creator }) =>
    sampleToken(token, { chainId: CHAIN_ID, creator, createdBlock, createdAtS }),
  );
  await createTokenStore(clickhouse).insert(tokens, 0);
};

describe('wallet features of transfers as they happened and of stored facts', () => {
  before(emptyTables);
  it('agree to the last digit at every time', async () => {
    const random = createRandom(5);
    const [market, funded] = [invent(random), inventFundings(random)];
    await store(clickhouse, market, funded);
    const fundings = new Map<string, FirstFunding>(
      funded.map(({ to, height, byCreator }) => [to, { atS: timeOf(height), byCreator }]),
    );
    const fundingsSinceS = Math.min(...[...fundings.values()].map(({ atS }) => atS));
    const wallets = createWalletStore(clickhouse);
    const seen = new Set<string>();
    for (const asOfS of [CREATED_S, CREATED_S + 3_600, LAST_S]) {
      const height = heightAt(asOfS);
      const tokens = market.map(({ token }) => token);
      const transfers = await readTransfers(
        { clickhouse, cache: NO_CACHE },
        CHAIN_ID,
        tokens,
        height,
      );
      const subjects = market.map(({ token, creator }) => {
        return { token, creator, createdS: CREATED_S, stored: transfers.get(token), asOfS };
      });
      const live = await wallets.read(CHAIN_ID, subjects, height);
      for (const { token, pool, creator, moves } of market) {
        const series: WalletSeries = {
          createdS: CREATED_S,
          creator,
          transfers: moves.map(({ height: at, ...move }) => ({ timestampS: timeOf(at), ...move })),
          notWallets: new Set([token, pool]),
          fundings,
          fundingsSinceS,
        };
        const stored = live.get(token);
        assert.ok(stored);
        const expected = walletFeatures(series, asOfS);
        assert.deepEqual(walletFeatures(stored, asOfS), expected);
        for (const name of Object.keys(expected)) seen.add(name);
      }
    }
    assert.deepEqual(
      Object.keys(WALLET_FEATURES).filter((name) => !seen.has(name)),
      [],
    );
  });
});
