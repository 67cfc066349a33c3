import type { Address } from 'viem';
import type { DevnetNode } from './createDevnetNode.ts';
import { DEVNET_ADDRESSES } from './devnetAddresses.ts';
import { DEVNET_ABI } from './uniswapArtifacts.ts';

/** A pool's reserves in base units; both zero when there is no pool. */
export type PoolReserves = { eth: bigint; token: bigint };

export type PoolReads = ReturnType<typeof createPoolReads>;

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';
/** Fractions are cut to millionths, so that they can multiply a bigint. */
const FRACTION_SCALE = 1_000_000;
const { factory, weth } = DEVNET_ADDRESSES;

/** What a token's holders and its WETH pool on Uniswap V2 have. */
export const createPoolReads = ({ publicClient }: Pick<DevnetNode, 'publicClient'>) => {
  const balanceOf = async (token: Address, holder: Address): Promise<bigint> =>
    publicClient.readContract({
      address: token,
      abi: DEVNET_ABI,
      functionName: 'balanceOf',
      args: [holder],
    });

  const pairOf = async (token: Address): Promise<Address> => {
    const pair = await publicClient.readContract({
      address: factory,
      abi: DEVNET_ABI,
      functionName: 'getPair',
      args: [token, weth],
    });
    return pair.toLowerCase() as Address;
  };

  const reserves = async (token: Address): Promise<PoolReserves> => {
    const pair = await pairOf(token);
    if (pair === ZERO_ADDRESS) return { eth: 0n, token: 0n };
    const [reserve0, reserve1] = await publicClient.readContract({
      address: pair,
      abi: DEVNET_ABI,
      functionName: 'getReserves',
    });
    // A pair sorts its two tokens by address.
    return token < weth ? { token: reserve0, eth: reserve1 } : { token: reserve1, eth: reserve0 };
  };

  return {
    balanceOf,
    /** The token's WETH pair, or the zero address. */
    pairOf,
    reserves,
  };
};

/** A fraction (0 to 1) of an amount of base units, rounded down. */
export const portion = (amount: bigint, fraction: number): bigint =>
  (amount * BigInt(Math.round(fraction * FRACTION_SCALE))) / BigInt(FRACTION_SCALE);
