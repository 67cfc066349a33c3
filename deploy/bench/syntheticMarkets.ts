import type { Hex } from '../../shared/chain/block.ts';
import { TOPIC } from '../../shared/decode/topic.ts';

/** Which markets a synthetic chain has. */
export const SYNTHETIC_MARKETS = ['none', 'uniswap_v2', 'all'] as const;
export type SyntheticMarkets = (typeof SYNTHETIC_MARKETS)[number];

interface MarketLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, '0');
const topic = (value: number): Hex => `0x${word(BigInt(value))}`;
const data = (...values: readonly bigint[]): Hex => `0x${values.map(word).join('')}`;
const address = (value: number): Hex => `0x${value.toString(16).padStart(40, '0')}`;
const ENDS = [topic(0x51), topic(0x52)] as const;
const AFTER = [1n << 96n, 10n ** 18n, 0n] as const;

const ofUniswapV2 = (pool: number): MarketLog[] => [
  { address: address(pool), topics: [TOPIC.sync], data: data(10n ** 20n, 10n ** 18n) },
  {
    address: address(pool),
    topics: [TOPIC.swap, ...ENDS],
    data: data(10n ** 16n, 0n, 0n, 10n ** 14n),
  },
];
const inV3 = (pool: number): MarketLog => ({
  address: address(pool),
  topics: ['0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67', ...ENDS],
  data: data(10n ** 16n, -(10n ** 14n), ...AFTER),
});
const inV4: MarketLog = {
  address: address(0x4a4),
  topics: ['0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f', ...ENDS],
  data: data(-(10n ** 16n), 10n ** 14n, ...AFTER, 3_000n),
};
const UNISWAP_V2 = Array.from({ length: 10 }, (_, i) => ofUniswapV2(0x200 + i)).flat();

/** Events of markets for every hundred transfers, in the proportions of recorded blocks of Ethereum. */
export const MARKET_LOGS: Readonly<Record<SyntheticMarkets, readonly MarketLog[]>> = {
  none: [],
  uniswap_v2: UNISWAP_V2,
  all: [...UNISWAP_V2, inV3(0x300), inV3(0x301), inV3(0x302), inV4],
};
