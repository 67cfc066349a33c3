import type { TokenTransfer } from '../scorer/features/walletFeatures.ts';
import { readColumns } from './readCsv.ts';

const COLUMNS = ['contract', 'block_number', 'from', 'to', 'value', 'timestamp'];

/**
 * ERC-20 transfers by contract, addresses in lower case, in the order of their blocks; within a block in that
 * of the file, which names no log index. The file may be plain or gzip, with the columns of the Polygon recording.
 */
export const readTransfers = async (path: string): Promise<Map<string, TokenTransfer[]>> => {
  const contracts = new Map<string, (TokenTransfer & { block: number })[]>();
  for await (const row of readColumns(path, COLUMNS)) {
    const [contract = '', block, from = '', to = '', value = '', timestamp] = row;
    const transfers = contracts.get(contract.toLowerCase()) ?? [];
    transfers.push({
      block: Number(block),
      timestampS: Number(timestamp),
      from: from.toLowerCase(),
      to: to.toLowerCase(),
      value: BigInt(value),
    });
    contracts.set(contract.toLowerCase(), transfers);
  }
  for (const transfers of contracts.values()) transfers.sort((a, b) => a.block - b.block);
  return contracts;
};
