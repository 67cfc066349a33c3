import { z } from 'zod';
import type { Hex } from '../../../shared/chain/block.ts';
import { addressSchema } from '../../../shared/messages/schemas.ts';
import { resultOf } from '../simulation/readOutcomes.ts';
import type { ChainNode } from './tokenReader.ts';

const transactionSchema = z.object({ from: z.string().toLowerCase().pipe(addressSchema) });

/** Senders of these transactions, as far as the node knows them. */
export const readSenders = async (
  node: ChainNode,
  txHashes: readonly Hex[],
): Promise<Map<Hex, Hex>> => {
  const found = await node.batch(
    txHashes.map((hash) => ({ method: 'eth_getTransactionByHash', params: [hash] })),
  );
  return new Map(
    txHashes.flatMap((hash, i): [Hex, Hex][] => {
      const { data } = transactionSchema.safeParse(resultOf(found[i]));
      return data ? [[hash, data.from]] : [];
    }),
  );
};
