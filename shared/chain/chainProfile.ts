import { z } from 'zod';
import type { Hex } from './block.ts';
import { PROTOCOLS } from './fact.ts';

const addressSchema = z.custom<Hex>((text) => /^0x[0-9a-f]{40}$/.test(String(text)));
const DECIMALS_MAX = 36;
/** A day of the fastest chain is more than any waits. */
const FINALITY_BLOCKS_MAX = 100_000;
const BLOCK_TIME_S_MAX = 60;

/** What is known of a chain before it is read. Addresses are lower case. */
export const chainProfileSchema = z
  .object({
    chainId: z.number().int().positive(),
    name: z.string().min(1),
    /** Where people look transactions up, with paths as EIP-3091 has them. */
    explorer: z.string().url(),
    /** Wrapped native token, the usual base of a pool. */
    weth: addressSchema,
    /** Tokens worth one US dollar. */
    stables: z
      .array(
        z
          .object({
            symbol: z.string().min(1),
            address: addressSchema,
            decimals: z.number().int().min(0).max(DECIMALS_MAX),
          })
          .strict()
          .readonly(),
      )
      .min(1)
      .readonly(),
    /** US dollars per native unit, used while no stable pool is indexed. */
    nativePriceUsd: z.number().positive(),
    /** Seconds between blocks, for estimates only. */
    blockTimeS: z.number().positive().max(BLOCK_TIME_S_MAX),
    /** Blocks after which one stays, where a node does not say which is final. */
    finalityBlocks: z.number().int().positive().max(FINALITY_BLOCKS_MAX),
    /** Contracts that make markets, or keep them all (Uniswap V4, Balancer V2, four.meme), by name. */
    factories: z.record(z.enum(PROTOCOLS), z.record(addressSchema).readonly()).readonly(),
  })
  .strict()
  .readonly();

export type ChainProfile = z.output<typeof chainProfileSchema>;
