import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { TOPIC } from '../../shared/decode/topic.ts';
import { bloomOf } from '../../shared/testing/evmData.ts';
import { LOOPBACK } from '../local/launch.ts';
import { json, type RpcCall, resultOfToken, serveCalls } from './serveCalls.ts';
import { createSyntheticChain, LOG_BYTES_MAX } from './syntheticChain.ts';

// A node of a synthetic chain as a process of its own: syntheticNode.ts PORT BLOCKS
// Answers are made when they are asked for. Requests and calls are counted by the path they come to, those without logs apart; GET /counts lists
// them.

const [portArg = '', blocksArg = ''] = process.argv.slice(2);
const chain = createSyntheticChain(Number(blocksArg));
const counts = new Map<string, { requests: number; calls: number }>();

const hex = (value: number): string => `0x${value.toString(16)}`;
const BLOOM = bloomOf([TOPIC.transfer]);
const EMPTY_BLOOM = bloomOf([]);

const numberOf = (id: unknown): number =>
  id === 'latest' || id === 'finalized' ? chain.head : Number(id);

const header = (id: unknown): object | null => {
  const number = numberOf(id);
  if (number > chain.head) return null;
  return {
    number: hex(number),
    hash: `0x${chain.hashOf(number)}`,
    parentHash: `0x${chain.hashOf(number - 1)}`,
    timestamp: hex(chain.timestampOf(number)),
    logsBloom: chain.transfersOf(number) > 0 ? BLOOM : EMPTY_BLOOM,
    gasLimit: hex(30_000_000),
    transactions: chain.transactionsOf(number).map(({ hash }) => `0x${hash}`),
  };
};

const receipts = (id: unknown): object[] => {
  const isHash = typeof id === 'string' && id.length === 66;
  const number = isHash ? Number.parseInt(id.slice(2, 10), 16) : numberOf(id);
  return chain.transactionsOf(number).map(({ hash }) => ({
    transactionHash: `0x${hash}`,
    blockHash: `0x${chain.hashOf(number)}`,
    from: `0x${hash.slice(0, 40)}`,
    contractAddress: null,
    status: '0x1',
    logs: [],
  }));
};

interface LogFilter {
  readonly fromBlock: string;
  readonly toBlock: string;
  readonly topics?: readonly (string | readonly string[] | null)[];
}

/** All transfers of a range as JSON, generated on request. */
const logs = (filter: unknown): Buffer => {
  const { fromBlock, toBlock, topics } = filter as LogFilter;
  if (topics?.[0] && ![topics[0]].flat().includes(TOPIC.transfer)) return json([]);
  const [from, to] = [Number(fromBlock), Number(toBlock)];
  let count = 0;
  for (let number = from; number <= to; number += 1) count += chain.transfersOf(number);
  const out = Buffer.allocUnsafe(count * LOG_BYTES_MAX + 2);
  let at = 0;
  for (let number = from; number <= to; number += 1) {
    at = chain.writeLogs(number, out, at);
  }
  if (at === 0) return Buffer.from('[]');
  // The comma of the first log makes room for the bracket.
  out[0] = '['.charCodeAt(0);
  out[at] = ']'.charCodeAt(0);
  return out.subarray(0, at + 1);
};

const resultOf = (call: RpcCall): Buffer | undefined => {
  const { method, params } = call;
  switch (method) {
    case 'eth_chainId':
      return json('0x1');
    case 'eth_blockNumber':
      return json(hex(chain.head));
    case 'eth_getBlockByNumber':
      return json(header(params[0]));
    case 'eth_getBlockReceipts':
      return json(receipts(params[0]));
    case 'eth_getTransactionReceipt':
      return json({ from: (params[0] as string).slice(0, 42), contractAddress: null });
    case 'eth_getLogs':
      return logs(params[0]);
    default:
      return resultOfToken(call);
  }
};

const server = createServer((request, response) => {
  if (request.url === '/counts') {
    response.end(JSON.stringify(Object.fromEntries(counts)));
    return;
  }
  void text(request).then((body) => {
    const calls = JSON.parse(body) as RpcCall | RpcCall[];
    const list = [calls].flat();
    const isBackfill = list.some(({ method }) => method === 'eth_getLogs');
    const isScorer = request.url?.includes('scorer');
    const key = `${request.url?.slice(1)}${isBackfill || isScorer ? '' : ' at the head'}`;
    const seen = counts.get(key) ?? { requests: 0, calls: 0 };
    counts.set(key, { requests: seen.requests + 1, calls: seen.calls + list.length });
    serveCalls(response, calls, resultOf);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(portArg), LOOPBACK);
