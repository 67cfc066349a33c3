import { setTimeout as delay } from 'node:timers/promises';
import type { Address, Hex, PublicClient } from 'viem';

/** A mined transaction. A reverted one is an answer, not an error. */
export type DevnetTransaction = {
  hash: Hex;
  status: 'success' | 'reverted';
  blockNumber: number;
  blockHash: Hex;
  gasUsed: bigint;
  /** Lower case; only when the transaction created a contract. */
  contractAddress: Address | undefined;
  logs: { address: Address; topics: Hex[]; data: Hex }[];
  /** When this process saw the receipt, milliseconds since 1970. */
  seenAtMs: number;
};

const RECEIPT_TIMEOUT_MS = 90_000;
const RECEIPT_POLL_MS = 5;

/**
 * Polls for the receipt. Not viem's function of this kind: it watches blocks at its own pace.
 * @throws Error when the transaction is not mined in time
 */
export const waitForReceipt = async (
  client: PublicClient,
  hash: Hex,
): Promise<DevnetTransaction> => {
  const deadlineMs = Date.now() + RECEIPT_TIMEOUT_MS;
  while (Date.now() < deadlineMs) {
    const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] });
    if (receipt === null) {
      await delay(RECEIPT_POLL_MS);
      continue;
    }
    return {
      hash,
      status: receipt.status === '0x1' ? 'success' : 'reverted',
      blockNumber: Number(receipt.blockNumber),
      blockHash: receipt.blockHash,
      gasUsed: BigInt(receipt.gasUsed),
      contractAddress: receipt.contractAddress ? lowerCase(receipt.contractAddress) : undefined,
      logs: receipt.logs.map(({ address, topics, data }) => ({
        address: lowerCase(address),
        topics,
        data,
      })),
      seenAtMs: Date.now(),
    };
  }
  throw new Error(`transaction ${hash} was not mined within ${RECEIPT_TIMEOUT_MS} ms`);
};

const lowerCase = (address: Address): Address => address.toLowerCase() as Address;
