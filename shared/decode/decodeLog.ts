import type { Hex } from '../chain/block.ts';
import type { Fact } from '../chain/fact.ts';
import type { Protocol } from '../chain/protocol.ts';
import { balancerV2 } from './balancerV2.ts';
import { erc20 } from './erc20.ts';
import { fourMeme } from './fourMeme.ts';
import { lockers } from './lockers.ts';
import type { EventDecoder, IgnoredReason } from './logShape.ts';
import { pancakeV3 } from './pancakeV3.ts';
import type { RawLog } from './rawBlock.ts';
import { slipstream } from './slipstream.ts';
import { solidly } from './solidly.ts';
import { uniswapV2 } from './uniswapV2.ts';
import { uniswapV3 } from './uniswapV3.ts';
import { uniswapV4 } from './uniswapV4.ts';
import { virtuals } from './virtuals.ts';

/** The events of each protocol. */
const MARKETS: Readonly<Record<Protocol, readonly EventDecoder[]>> = {
  uniswap_v2: uniswapV2,
  uniswap_v3: uniswapV3,
  pancake_v3: pancakeV3,
  uniswap_v4: uniswapV4,
  solidly,
  slipstream,
  balancer_v2: balancerV2,
  four_meme: fourMeme,
  virtuals,
};

/** All events that become facts. */
export const EVENTS: readonly EventDecoder[] = [
  ...erc20,
  ...Object.values(MARKETS).flat(),
  ...lockers,
];

const BY_TOPIC: ReadonlyMap<string, EventDecoder> = new Map(
  EVENTS.map((event) => [event.topic, event]),
);

/** The topic filter for fetching all facts with one `eth_getLogs`. */
export const FACT_TOPICS: readonly Hex[] = EVENTS.map(({ topic }) => topic);

/**
 * The fact that a log states, or why it states none. Expects lower-case hexadecimal and positions validated by the
 * adapter; never throws, whatever a contract logged.
 */
export const decodeLog = (log: RawLog): Fact | IgnoredReason => {
  const event = BY_TOPIC.get(log.topics[0] ?? '');
  return event ? event.decode(log) : 'topic';
};
