import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../../shared/testing/random.ts';
import { createLieTeller, type Lie } from './nodeLies.ts';
import type { Call, Refuse } from './rangeRefusals.ts';
import type { SyntheticChain } from './syntheticChain.ts';

/** Faults of a node. Absent ones do not occur. */
export interface Hostility {
  /** Milliseconds before every answer. */
  readonly latencyMs?: number;
  /** How `eth_getLogs` over more blocks is refused. */
  readonly range?: { readonly blocksMax: number; readonly refuse: Refuse };
  /** Calls a second, above which a request is answered with HTTP 429. */
  readonly callsPerS?: number;
  /** Share of requests answered with HTTP 503. */
  readonly failingShare?: number;
  /** Share of single calls in a batch that are refused because of the rate limit. */
  readonly refusedShare?: number;
  /** Blocks by which its head lags. */
  readonly lagBlocks?: number;
  /** Omits logs from every n-th range, and from every n-th block's receipts, at the first request. */
  readonly omitsEvery?: number;
  /** Number of lies, of all kinds, one at every second request: repeating the request helps. */
  readonly lies?: number;
  /** At the first full request for these blocks, they name another parent. */
  readonly parentLies?: ReadonlyMap<number, 'unknown' | 'grandparent'>;
}

/** Faults served so far: a test without faults shows nothing. */
export interface HostileCounts {
  requests: number;
  calls: number;
  /** Requests for logs of a range, and the number refused. */
  ranges: number;
  refusedRanges: number;
  rateLimited: number;
  failed: number;
  refusedCalls: number;
  omitted: number;
  parentLies: number;
}

type Block = Record<string, unknown>;
type Log = Record<string, unknown>;

const SECOND_MS = 1_000;
const UNKNOWN_HASH = `0x${'ee'.repeat(32)}`;
const REFUSED_CODE = -32_000;

/** Whether an event with this probability occurs. */
const chance = (random: Random, share = 0): boolean => random.below(1_000_000) < share * 1_000_000;

/** A token bucket of one second's calls that refills steadily. */
const createBucket = (callsPerS: number) => {
  let left = callsPerS;
  let atMs = Date.now();
  return (calls: number): boolean => {
    const now = Date.now();
    left = Math.min(callsPerS, left + ((now - atMs) * callsPerS) / SECOND_MS);
    atMs = now;
    if (left < calls) return false;
    left -= calls;
    return true;
  };
};

class Refusal extends Error {}

/** Falsifies single answers; each only once, so that repeating the request helps. */
const createLiar = (chain: SyntheticChain, hostility: Hostility, counts: HostileCounts) => {
  const served = new Set<string>();
  const once = (name: string): boolean => !served.has(name) && served.add(name).size > 0;
  let ranges = 0;

  const range = (from: number, to: number, logs: readonly unknown[]): readonly unknown[] => {
    if (!once(`${from}-${to}`)) return logs;
    ranges += 1;
    const { omitsEvery } = hostility;
    if (!omitsEvery || ranges % omitsEvery !== 0) return logs;
    counts.omitted += 1;
    // An index that is not ready yet: no logs at all, or none of the last blocks.
    return ranges % (2 * omitsEvery) === 0 ? [] : logs.slice(0, Math.floor(logs.length / 2));
  };
  const receipts = (number: number, answer: readonly unknown[]): readonly unknown[] => {
    const { omitsEvery } = hostility;
    if (!omitsEvery || number % omitsEvery !== 0 || !once(`receipts ${number}`)) return answer;
    counts.omitted += 1;
    return answer.map((receipt) => {
      const { logs, ...rest } = receipt as { logs: Log[] };
      return { ...rest, logs: logs.slice(1) };
    });
  };
  const block = (number: number, isFull: boolean, answer: Block): Block => {
    const lie = isFull ? hostility.parentLies?.get(number) : undefined;
    if (!lie || !once(`parent ${number}`)) return answer;
    counts.parentLies += 1;
    const parentHash = lie === 'unknown' ? UNKNOWN_HASH : chain.header(number - 2)?.['hash'];
    return { ...answer, parentHash };
  };
  return { range, receipts, block };
};

/** A filter of `eth_getLogs`: by range, or by block. */
interface LogFilter {
  readonly blockHash?: string;
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly topics: readonly [string[]];
}

const createAnswers = (chain: SyntheticChain, hostility: Hostility, counts: HostileCounts) => {
  const liar = createLiar(chain, hostility, counts);
  const head = (): number => chain.head() - (hostility.lagBlocks ?? 0);
  const heightOf = (tag: unknown): number =>
    tag === 'latest' ? head() : tag === 'finalized' ? chain.finalized(head()) : Number(tag);
  const isKnown = (number: number): boolean => number >= chain.first && number <= head();

  return ({ method, params }: Call): unknown => {
    switch (method) {
      case 'eth_chainId':
        return chain.hex(chain.id);
      case 'eth_blockNumber':
        return chain.hex(head());
      case 'eth_getBlockByNumber': {
        const number = heightOf(params[0]);
        if (!isKnown(number)) return null;
        return liar.block(number, params[1] === true, chain.block(number, params[1] === true));
      }
      case 'eth_getBlockByHash': {
        const number = chain.heightOfHash(String(params[0]));
        return number !== undefined && isKnown(number) ? chain.block(number, false) : null;
      }
      case 'eth_getBlockReceipts': {
        const tag = String(params[0]);
        const number = tag.length === 66 ? (chain.heightOfHash(tag) ?? -1) : heightOf(tag);
        return isKnown(number) ? liar.receipts(number, chain.receipts(number)) : null;
      }
      case 'eth_getLogs': {
        const filter = params[0] as LogFilter;
        if (filter.blockHash !== undefined) {
          const number = chain.heightOfHash(filter.blockHash) ?? -1;
          if (!isKnown(number)) throw new Refusal('unknown block');
          return chain.logs(number, number, filter.topics[0]);
        }
        const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)];
        // Like real nodes: blocks above the head are silently omitted.
        return liar.range(from, to, chain.logs(from, Math.min(to, head()), filter.topics[0]));
      }
      case 'eth_getCode':
        return chain.code(String(params[0]));
      case 'eth_call':
        return chain.call(params[0] as { to: string; data: string });
      default:
        throw new Refusal(`the method ${method} does not exist`);
    }
  };
};

/** Number of blocks for which a call requests logs; 0 for any other call. */
const blocksAsked = ({ method, params: [filter] }: Call): number => {
  if (method !== 'eth_getLogs') return 0;
  const { fromBlock, toBlock } = filter as LogFilter;
  return fromBlock === undefined ? 0 : Number(toBlock) - Number(fromBlock) + 1;
};

const refused = (code: number, message: string) => ({ error: { code, message } });

/** The answer to a call, without its id. */
const answerOne = (answer: (call: Call) => unknown, call: Call): Record<string, unknown> => {
  try {
    const result = answer(call);
    return result === undefined ? refused(3, 'execution reverted') : { result };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refused(REFUSED_CODE, error.message);
  }
};

const DRIP_MS = 500;
const ENDLESS_CHUNK = ' '.repeat(1024 * 1024);

const serveLie = (response: ServerResponse, lie: Lie): void => {
  switch (lie.kind) {
    case 'text':
      response.writeHead(lie.status).end(lie.text);
      break;
    case 'break':
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('[{"jsonrpc"', () => response.destroy());
      break;
    case 'hang':
      response.writeHead(200).write('[');
      break;
    case 'drip': {
      const timer = setInterval(() => response.write(' '), DRIP_MS);
      response.once('close', () => clearInterval(timer));
      break;
    }
    case 'endless': {
      const pour = (): void => {
        if (!response.destroyed) response.write(ENDLESS_CHUNK, pour);
      };
      pour();
      break;
    }
  }
};

const NOTHING_MET: HostileCounts = {
  requests: 0,
  calls: 0,
  ranges: 0,
  refusedRanges: 0,
  rateLimited: 0,
  failed: 0,
  refusedCalls: 0,
  omitted: 0,
  parentLies: 0,
};

/** Starts an HTTP node on a free port that serves the chain with faults. */
export const startHostileNode = async (chain: SyntheticChain, hostility: Hostility, seed = 1) => {
  const counts = { ...NOTHING_MET };
  const random = createRandom(seed);
  const take = createBucket(hostility.callsPerS ?? Infinity);
  const answer = createAnswers(chain, hostility, counts);
  const lies = hostility.lies === undefined ? undefined : createLieTeller(chain, hostility.lies);

  const reply = async (body: string, response: ServerResponse): Promise<void> => {
    counts.requests += 1;
    await sleep(hostility.latencyMs ?? 0);
    const parsed = JSON.parse(body) as Call | Call[];
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    if (!take(calls.length)) {
      counts.rateLimited += 1;
      response.writeHead(429).end('slow down');
    } else if (chance(random, hostility.failingShare)) {
      counts.failed += 1;
      response.writeHead(503).end('try later');
    } else {
      counts.calls += calls.length;
      if (calls.some((call) => blocksAsked(call) > 0)) counts.ranges += 1;
      const { blocksMax = Infinity, refuse } = hostility.range ?? {};
      const wide = calls.find((call) => blocksAsked(call) > blocksMax);
      const others = calls.filter((call) => call !== wide);
      const answers = others.map((call) => {
        const isRefused = chance(random, hostility.refusedShare);
        if (isRefused) counts.refusedCalls += 1;
        const said = isRefused ? refused(-32_029, 'too many requests') : answerOne(answer, call);
        return { jsonrpc: '2.0', id: call.id, ...said } as Record<string, unknown>;
      });
      const lie =
        counts.requests % 2 === 0
          ? lies?.next(
              others.map((call, i) => ({ ...call, result: answers[i]?.['result'] ?? null })),
            )
          : undefined;
      if (lie) serveLie(response, lie);
      else if (wide) {
        counts.refusedRanges += 1;
        refuse?.(response, wide, calls, answers);
      } else response.end(JSON.stringify(Array.isArray(parsed) ? answers : answers[0]));
    }
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => void reply(Buffer.concat(parts).toString(), response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    /** Number of `Hostility.lies` served. */
    lies,
    stop: (): Promise<void> =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
export type HostileNode = Awaited<ReturnType<typeof startHostileNode>>;
