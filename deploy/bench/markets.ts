import type { Hex } from '../../shared/chain/block.ts';
import { TOPIC } from '../../shared/decode/topic.ts';
import {
  addressOf as address,
  dataOf as data,
  topicOf as topic,
} from '../../shared/testing/evmData.ts';

/** Markets of watched tokens, by protocol. */
export const LIVE_PROTOCOLS = ['uniswap_v3', 'uniswap_v4'] as const;
export type LiveProtocol = (typeof LIVE_PROTOCOLS)[number];

interface Log {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** First topics, as in `shared/decode`. */
const V3 = {
  poolCreated: '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118',
  initialize: '0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95',
  mint: '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde',
  swap: '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
} as const;
const V4 = {
  initialize: '0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438',
  modifyLiquidity: '0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec',
  swap: '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f',
} as const;

/** One token for one of the wrapped native token, over all prices: a sale of everything takes out about 99 of 100. */
const PRICE = 1n << 96n;
const LIQUIDITY = 100n * 10n ** 18n;
const SOLD = 10n * 10n ** 18n;
const [LOWER, UPPER] = [-887_220n, 887_220n];
const FEE = 3_000n;
const SPACING = 60n;
const FACTORY = address(0xfac7n);
const MANAGER = address(0x3a4an);
const SELLER = address(0x5e11n);
const poolOf = (token: Hex): Hex => address(BigInt(token) + (1n << 40n));

/** Who holds what a market of the token holds. */
export const marketHolder = (protocol: LiveProtocol, token: Hex): Hex =>
  protocol === 'uniswap_v4' ? MANAGER : poolOf(token);

/** Creates the market of a token, which is above the wrapped native token, and fills it. */
export const openMarket = (protocol: LiveProtocol, token: Hex, weth: Hex): Log[] => {
  const pool = poolOf(token);
  if (protocol === 'uniswap_v4') {
    const terms = data(FEE, SPACING, 0n, PRICE, 0n);
    const change = data(LOWER, UPPER, LIQUIDITY, 0n);
    const modified = [V4.modifyLiquidity, topic(pool), topic(SELLER)];
    const created = [V4.initialize, topic(pool), topic(weth), topic(token)];
    return [
      { address: MANAGER, topics: created, data: terms },
      { address: MANAGER, topics: modified, data: change },
    ];
  }
  const created = [V3.poolCreated, topic(weth), topic(token), topic(FEE)];
  const position = [V3.mint, topic(SELLER), topic(LOWER), topic(UPPER)];
  return [
    { address: FACTORY, topics: created, data: data(SPACING, pool) },
    { address: pool, topics: [V3.initialize], data: data(PRICE, 0n) },
    { address: pool, topics: position, data: data(SELLER, LIQUIDITY, LIQUIDITY, LIQUIDITY) },
  ];
};

/** A sale of the token for a tenth of what the market has. */
export const saleLog = (protocol: LiveProtocol, token: Hex): Log => {
  const after = [PRICE, LIQUIDITY, 0n] as const;
  const pool = poolOf(token);
  // Uniswap V4 logs what the trader gains, V3 what the pool does.
  return protocol === 'uniswap_v4'
    ? {
        address: MANAGER,
        topics: [V4.swap, topic(pool), topic(SELLER)],
        data: data(SOLD, -SOLD, ...after, FEE),
      }
    : {
        address: pool,
        topics: [V3.swap, topic(SELLER), topic(SELLER)],
        data: data(-SOLD, SOLD, ...after),
      };
};

/** Which markets a synthetic chain has. */
export const SYNTHETIC_MARKETS = ['none', 'uniswap_v2', 'all'] as const;
export type SyntheticMarkets = (typeof SYNTHETIC_MARKETS)[number];

const ENDS = [topic(0x51), topic(0x52)] as const;
const AFTER = [PRICE, 10n ** 18n, 0n] as const;

const ofUniswapV2 = (pool: number): Log[] => [
  { address: address(pool), topics: [TOPIC.sync], data: data(10n ** 20n, 10n ** 18n) },
  {
    address: address(pool),
    topics: [TOPIC.swap, ...ENDS],
    data: data(10n ** 16n, 0n, 0n, 10n ** 14n),
  },
];
const inV3 = (pool: number): Log => ({
  address: address(pool),
  topics: [V3.swap, ...ENDS],
  data: data(10n ** 16n, -(10n ** 14n), ...AFTER),
});
const inV4: Log = {
  address: address(0x4a4),
  topics: [V4.swap, ...ENDS],
  data: data(-(10n ** 16n), 10n ** 14n, ...AFTER, 3_000n),
};
const UNISWAP_V2 = Array.from({ length: 10 }, (_, i) => ofUniswapV2(0x200 + i)).flat();

/** Events of markets for every hundred transfers, in the proportions of recorded blocks of Ethereum. */
export const MARKET_LOGS: Readonly<Record<SyntheticMarkets, readonly Log[]>> = {
  none: [],
  uniswap_v2: UNISWAP_V2,
  all: [...UNISWAP_V2, inV3(0x300), inV3(0x301), inV3(0x302), inV4],
};
