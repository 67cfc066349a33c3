import type { Hex } from '../chain/block.ts';
import type { Fact } from '../chain/fact.ts';

const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const inTransaction = { txHash: hash('a'), txIndex: 3 };
/** Of every fact that is a log; others have its transaction. */
const place = { ...inTransaction, logIndex: 7 };
/** The addresses of all facts. */
export const SAMPLE_ADDRESSES = ['1', '2', '3', '4'].map(address) as [Hex, Hex, Hex, Hex];
const [one, two, three, four] = SAMPLE_ADDRESSES;

const TRADED = {
  amount0In: '0x1',
  amount1In: '0x2',
  amount0Out: '0x3',
  amount1Out: '0x4',
} as const;
const MOVED = { amount0: '0x1', amount1: '0x2' } as const;
const RANGE = {
  owner: four,
  tickLower: -60,
  tickUpper: 120,
  liquidity: '0x5',
  salt: hash('9'),
} as const;

/** Facts of each kind and of each shape, every field different. */
export const SAMPLE_FACTS: readonly Fact[] = [
  { kind: 'transfer', token: one, from: two, to: three, value: '0x1', ...place },
  { kind: 'nativeTransfer', from: one, to: two, value: '0xff', ...inTransaction },
  { kind: 'creation', contract: one, creator: two, ...inTransaction },
  { kind: 'failedSale', token: one, seller: two, router: three, ...inTransaction },
  {
    kind: 'poolCreated',
    protocol: 'uniswap_v2',
    factory: one,
    pool: two,
    token0: three,
    token1: four,
    ...place,
  },
  { kind: 'sync', protocol: 'uniswap_v2', pool: one, reserve0: '0x10', reserve1: '0x11', ...place },
  { kind: 'sync', protocol: 'solidly', pool: one, reserve0: '0x10', reserve1: '0x11', ...place },
  { kind: 'swap', protocol: 'uniswap_v2', pool: one, sender: two, to: three, ...TRADED, ...place },
  { kind: 'mint', protocol: 'uniswap_v2', pool: one, sender: two, ...MOVED, ...place },
  { kind: 'burn', protocol: 'uniswap_v2', pool: one, sender: two, to: three, ...MOVED, ...place },
  {
    kind: 'poolCreated',
    protocol: 'uniswap_v4',
    factory: one,
    pool: hash('5'),
    token0: three,
    token1: four,
    terms: { fee: 0x80_0000, tickSpacing: -1, stable: true, hooks: two },
    price: { sqrtPriceX96: '0x6', tick: -887_272 },
    ...place,
  },
  { kind: 'priced', protocol: 'slipstream', pool: one, sqrtPriceX96: '0x7', tick: 5, ...place },
  {
    kind: 'swap',
    protocol: 'uniswap_v4',
    pool: hash('6'),
    manager: four,
    sender: two,
    to: three,
    ...TRADED,
    after: { sqrtPriceX96: '0x8', tick: -3, liquidity: '0x9' },
    ...place,
  },
  {
    kind: 'swap',
    protocol: 'balancer_v2',
    pool: hash('7'),
    manager: four,
    sender: two,
    to: three,
    ...TRADED,
    sides: { token0: one, token1: two },
    ...place,
  },
  {
    kind: 'swap',
    protocol: 'four_meme',
    pool: one,
    manager: four,
    sender: two,
    to: three,
    ...TRADED,
    after: { reserve0: '0xa', reserve1: '0xb' },
    ...place,
  },
  {
    kind: 'mint',
    protocol: 'uniswap_v3',
    pool: one,
    sender: two,
    ...MOVED,
    range: RANGE,
    ...place,
  },
  {
    kind: 'burn',
    protocol: 'uniswap_v4',
    pool: hash('8'),
    manager: four,
    sender: two,
    to: three,
    ...MOVED,
    range: RANGE,
    ...place,
  },
  {
    kind: 'collect',
    protocol: 'uniswap_v3',
    pool: one,
    sender: two,
    to: three,
    ...MOVED,
    range: RANGE,
    ...place,
  },
  {
    kind: 'graduated',
    protocol: 'four_meme',
    pool: one,
    manager: two,
    token0: three,
    token1: four,
    ...MOVED,
    ...place,
  },
  { kind: 'ownershipTransferred', contract: one, previousOwner: two, newOwner: three, ...place },
  {
    kind: 'lock',
    act: 'locked',
    locker: one,
    lockId: '0x7',
    asset: two,
    position: '0x0',
    owner: three,
    amount: '0x1',
    unlockAt: '0x6553f100',
    ...place,
  },
  {
    kind: 'lock',
    act: 'extended',
    locker: one,
    lockId: '0x0',
    asset: two,
    position: '0x9',
    owner: three,
    amount: '0x1',
    unlockAt: `0x${'f'.repeat(64)}`,
    market: four,
    ...place,
  },
];
