import { ZERO_ADDRESS, ZERO_HASH } from '../chain/block.ts';
import type { Fact } from '../chain/fact.ts';
import { topicOf } from './evmData.ts';

type Kind = Fact['kind'];
type FactOf<K extends Kind> = Extract<Fact, { kind: K }>;
type Place = 'kind' | 'txHash' | 'txIndex' | 'logIndex';

const IN_POOL = { protocol: 'uniswap_v2', pool: ZERO_ADDRESS } as const;
const SIDES = { token0: ZERO_ADDRESS, token1: ZERO_ADDRESS } as const;
const AMOUNTS = { amount0: '0x1', amount1: '0x1' } as const;
const PARTIES = { sender: ZERO_ADDRESS, to: ZERO_ADDRESS } as const;
const PAYMENT = { from: ZERO_ADDRESS, to: ZERO_ADDRESS, value: '0x1' } as const;
const FLOWS = { amount0In: '0x0', amount1In: '0x0', amount0Out: '0x0', amount1Out: '0x0' } as const;
const TICKS = { tickLower: -60, tickUpper: 60 };

/** What a fact says where a test says nothing else. */
const PLAIN: { readonly [K in Kind]: Omit<FactOf<K>, Place> } = {
  transfer: { token: ZERO_ADDRESS, ...PAYMENT },
  nativeTransfer: PAYMENT,
  creation: { contract: ZERO_ADDRESS, creator: ZERO_ADDRESS },
  failedSale: { token: ZERO_ADDRESS, seller: ZERO_ADDRESS, router: ZERO_ADDRESS },
  poolCreated: { ...IN_POOL, ...SIDES, factory: ZERO_ADDRESS },
  priced: { ...IN_POOL, sqrtPriceX96: '0x1', tick: 0 },
  sync: { ...IN_POOL, reserve0: '0x1', reserve1: '0x1' },
  swap: { ...IN_POOL, ...PARTIES, ...FLOWS },
  mint: { ...IN_POOL, ...AMOUNTS, sender: ZERO_ADDRESS },
  burn: { ...IN_POOL, ...AMOUNTS, ...PARTIES },
  collect: {
    ...IN_POOL,
    ...AMOUNTS,
    ...PARTIES,
    range: { ...TICKS, owner: ZERO_ADDRESS, liquidity: '0x1', salt: ZERO_HASH },
  },
  graduated: { ...IN_POOL, ...SIDES, ...AMOUNTS },
  ownershipTransferred: {
    contract: ZERO_ADDRESS,
    previousOwner: ZERO_ADDRESS,
    newOwner: ZERO_ADDRESS,
  },
  lock: {
    act: 'locked',
    locker: ZERO_ADDRESS,
    lockId: '0x0',
    asset: ZERO_ADDRESS,
    position: '0x0',
    owner: ZERO_ADDRESS,
    amount: '0x1',
    unlockAt: '0x0',
  },
};
const OF_NO_LOG: ReadonlySet<Kind> = new Set(['nativeTransfer', 'creation', 'failedSale']);

/** A fact with what matters to a test. @param n index of its log, and number of its transaction's hash */
export const factOf = <K extends Kind>(
  kind: K,
  n: number,
  own: Partial<FactOf<K>> = {},
): FactOf<K> => {
  const place = OF_NO_LOG.has(kind) ? {} : { logIndex: n };
  const plain: object = PLAIN[kind];
  return { kind, ...plain, txHash: topicOf(n), txIndex: 0, ...place, ...own } as FactOf<K>;
};
