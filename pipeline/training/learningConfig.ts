import { z } from 'zod';
import { fields, flag } from '../../shared/platform/config.ts';

/** Settings of the commands of this folder that work on a stack. */
export const learningConfigSchema = z.object({
  CLICKHOUSE_URL: fields.CLICKHOUSE_URL,
  CHAIN_ID: fields.CHAIN_ID,
  WETH_ADDRESS: fields.WETH_ADDRESS,
  STABLE_ADDRESSES: fields.STABLE_ADDRESSES,
  NATIVE_PRICE_USD: fields.NATIVE_PRICE_USD,
});

/** What `make promote` takes beside the settings of the stack. */
export const promotionConfigSchema = z.object({
  MODEL: z.string({ required_error: 'must be a hash that make models shows, previous or shipped' }),
  FORCE: flag,
});
