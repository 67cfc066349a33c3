import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { LOOPBACK } from '../local/launch.ts';
import { type LiveBlock, makeBlock } from './liveBlock.ts';
import { json, type RpcCall, resultOfToken, serveCalls } from './serveCalls.ts';

// A node whose blocks come when they are asked for: liveNode.ts PORT CHAIN_ID
// POST /prepare with a plan and a count makes blocks and their answers ahead, so that nothing but sending is left to do
// while others are measured. POST /mine lets the next of them be known: to those who asked for new heads, and in all
// answers. It answers with the block's number and the Unix milliseconds of that moment.

const KEPT_BLOCKS = 80;
const ZERO_HASH = `0x${'0'.repeat(64)}` as const;

const planSchema = z.object({
  count: z.number().int().min(1),
  transfers: z.number().int().min(0),
  touched: z.number().int().min(0),
  isFirst: z.boolean(),
});
const [port = '0', chainId = '1'] = process.argv.slice(2);
const blocks = new Map<number, LiveBlock>();
const listeners = new Set<WebSocket>();
let head = makeBlock(0, ZERO_HASH, { transfers: 0, touched: 0, isFirst: false });
blocks.set(0, head);
/** Prepared blocks that are not announced. */
const prepared: LiveBlock[] = [];

const NULL = json(null);
/** As on mainnet: two epochs. */
const FINALITY_DEPTH = 64;

const blockOf = (id: unknown): LiveBlock | undefined => {
  if (id === 'latest') return head;
  return blocks.get(id === 'finalized' ? Math.max(0, head.number - FINALITY_DEPTH) : Number(id));
};

const resultOf = (call: RpcCall): Buffer | undefined => {
  const {
    method,
    params: [id, isFull],
  } = call;
  switch (method) {
    case 'eth_chainId':
      return json(`0x${Number(chainId).toString(16)}`);
    case 'eth_blockNumber':
      return json(`0x${head.number.toString(16)}`);
    case 'eth_getBlockByNumber':
      return blockOf(id)?.[isFull ? 'full' : 'header'] ?? NULL;
    case 'eth_getBlockReceipts':
      return blockOf(id)?.receipts ?? NULL;
    default:
      return resultOfToken(call);
  }
};

const prepare = (body: string): object => {
  const { count, ...plan } = planSchema.parse(JSON.parse(body));
  for (let i = 0; i < count; i += 1) {
    const parent = prepared.at(-1) ?? head;
    prepared.push(makeBlock(parent.number + 1, parent.hash, plan));
  }
  return {};
};

const mine = (): object => {
  const next = prepared.shift();
  if (!next) throw new Error('no block is prepared');
  blocks.set(next.number, next);
  blocks.delete(next.number - KEPT_BLOCKS);
  const params = `{"subscription":"0x1","result":${next.headText}}`;
  const notification = `{"jsonrpc":"2.0","method":"eth_subscription","params":${params}}`;
  const minedAtMs = performance.timeOrigin + performance.now();
  head = next;
  for (const listener of listeners) listener.send(notification);
  return { number: next.number, minedAtMs };
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const body = await text(request);
  if (request.method === 'GET') {
    response.end();
    return;
  }
  const order = request.url === '/prepare' ? prepare : request.url === '/mine' ? mine : undefined;
  if (order) {
    response.end(JSON.stringify(order(body)));
    return;
  }
  serveCalls(response, JSON.parse(body) as RpcCall | RpcCall[], resultOf);
};

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.writeHead(400).end(String(error)));
});
server.keepAliveTimeout = 60_000;
new WebSocketServer({ server }).on('connection', (socket) => {
  socket.on('message', () => {
    listeners.add(socket);
    socket.send('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
  });
  socket.on('close', () => listeners.delete(socket));
  socket.on('error', () => undefined);
});
server.listen(Number(port), LOOPBACK);
