import assert from 'node:assert/strict';
import type { NatsConnection } from 'nats';
import type { PublicClient } from 'viem';
import type { BlockRef } from '../../chain/block.ts';
import { decodeChainEvent } from '../../messages/chainMessage.ts';
import { chainStream } from '../../messages/subjects.ts';
import { readPublishedFinal } from '../simulation/publishedFinal.ts';
import { streamEntries } from './streamEntries.ts';

/** The highest block that a chain's stream told as final. */
export const publishedFinal = async (
  connection: NatsConnection,
  chainId: number,
): Promise<BlockRef> => {
  const entries = await streamEntries(connection, chainStream(chainId));
  const final = readPublishedFinal(entries.map(({ data }) => decodeChainEvent(data)));
  assert.ok(final, 'something was told as final');
  return final;
};

/** How many blocks stand above a final one: a reorg of so many leaves it, one more takes it back. */
export const depthAbove = async (client: PublicClient, { number }: BlockRef): Promise<number> =>
  Number(await client.getBlockNumber({ cacheTime: 0 })) - number;

/** Whether the watcher has to stop: the node has another block where one was told as final. */
export const mustStop = async (
  client: PublicClient,
  { number, hash }: BlockRef,
): Promise<boolean> => {
  const block = await client.getBlock({ blockNumber: BigInt(number) });
  return block.hash !== hash;
};
