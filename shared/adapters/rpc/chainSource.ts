import type { BlockHeader, Hex } from '../../chain/block.ts';
import type { RawLog, VerifiedBlock, VerifiedRange } from '../../decode/rawBlock.ts';
import { FACT_TOPICS } from '../../decode/tokenEvent.ts';
import { type BloomCheck, createBloomCheck } from './bloom.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndpointPool } from './endpointPool.ts';
import type { RpcCall, RpcOutcome } from './jsonRpc.ts';
import { nodeFailure } from './nodeFailure.ts';
import { countOf, plainHeader, type RpcHeader, readHeader, readLogs } from './readAnswer.ts';
import { RpcError } from './rpcError.ts';
import { receiptsNeeded, verifyBlock, verifyBlockOfLogs, verifyRangeLogs } from './verifyBlock.ts';

/** The head of one node's chain and the blocks it has from some height on. */
export interface HeadReading {
  readonly head: BlockHeader;
  /** Height the node calls final; null where it knows no such thing. */
  readonly finalizedNumber: number | null;
  /** Linked blocks from the asked height on; empty where the node has none. */
  readonly blocks: readonly VerifiedBlock[];
  /** Name of the node, for confirmations by the same node. */
  readonly endpoint: string;
}

/** Reads a chain by checked answers. Every function throws RpcError when all nodes failed. */
export interface RpcChainSource {
  follow(next: number, count: number): Promise<HeadReading>;
  /** @throws RpcError `behind` where no node has the block. */
  header(id: Hex | number): Promise<BlockHeader>;
  range(from: number, to: number): Promise<VerifiedRange>;
  blocks(from: number, to: number): Promise<VerifiedBlock[]>;
}

const hex = (value: number): Hex => `0x${value.toString(16)}`;
const blockCall = (id: number | string, full: boolean): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [typeof id === 'number' ? hex(id) : id, full],
});
const receiptsCall = (number: number): RpcCall => ({
  method: 'eth_getBlockReceipts',
  params: [hex(number)],
});

const resultOf = (
  outcome: RpcOutcome | undefined,
  endpoint: Endpoint,
  blocks?: number,
): unknown => {
  if (!outcome) throw new RpcError('answer', endpoint.name, 'an answer is missing');
  if (outcome.ok) return outcome.result;
  const failure = nodeFailure(outcome, endpoint.name, blocks);
  if (failure.failure === 'rateLimited') endpoint.penalize(failure);
  throw failure;
};

/** Marks a node whose answer could not be true; it is asked last for a while. */
const judged = async <T>(endpoint: Endpoint, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RpcError && error.failure === 'answer') endpoint.penalize(error);
    throw error;
  }
};

const seen = (endpoint: Endpoint, number: number): void => {
  endpoint.height = Math.max(endpoint.height, number);
};

/** Details of one block through `eth_getLogs` and single receipts. */
const detailByLogs = async (
  header: RpcHeader,
  endpoint: Endpoint,
  bloom: BloomCheck,
): Promise<VerifiedBlock> => {
  const hashes = receiptsNeeded(header, endpoint.name);
  const [logs, ...receipts] = await endpoint.call([
    { method: 'eth_getLogs', params: [{ blockHash: header.hash }] },
    ...hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  ]);
  const byHash = new Map(hashes.map((hash, i) => [hash, resultOf(receipts[i], endpoint)]));
  return verifyBlockOfLogs(header, resultOf(logs, endpoint), byHash, bloom, endpoint.name);
};

/** Calls for `count` full blocks from `first` on, with receipts where the node offers them. */
const detailCalls = (first: number, count: number, endpoint: Endpoint): RpcCall[] =>
  Array.from({ length: count }, (_, i) => first + i).flatMap((number) =>
    endpoint.hasBlockReceipts
      ? [blockCall(number, true), receiptsCall(number)]
      : [blockCall(number, true)],
  );

/** Blocks from the outcomes of `detailCalls`, up to the first the node lacks; linked to one another. */
const readDetails = async (
  outcomes: readonly RpcOutcome[],
  first: number,
  count: number,
  endpoint: Endpoint,
  bloom: BloomCheck,
): Promise<VerifiedBlock[]> => {
  const stride = outcomes.length / count;
  const blocks: VerifiedBlock[] = [];
  for (let i = 0; i < count; i += 1) {
    const header = readHeader(resultOf(outcomes[i * stride], endpoint), endpoint.name);
    if (!header) break;
    if (header.number !== first + i)
      throw new RpcError('answer', endpoint.name, 'another block than asked');
    const parent = blocks.at(-1);
    if (parent && header.parentHash !== parent.header.hash) {
      throw new RpcError(
        'answer',
        endpoint.name,
        `block ${header.number} does not follow its parent`,
      );
    }
    seen(endpoint, header.number);
    blocks.push(
      stride === 2
        ? await withReceipts(header, outcomes[i * 2 + 1], endpoint, bloom)
        : await detailByLogs(header, endpoint, bloom),
    );
  }
  return blocks;
};

const withReceipts = async (
  header: RpcHeader,
  outcome: RpcOutcome | undefined,
  endpoint: Endpoint,
  bloom: BloomCheck,
): Promise<VerifiedBlock> => {
  try {
    const receipts = resultOf(outcome, endpoint);
    if (receipts === null)
      throw new RpcError('behind', endpoint.name, `no receipts of ${header.number}`);
    return verifyBlock(header, receipts, bloom, endpoint.name);
  } catch (error) {
    if (!(error instanceof RpcError) || error.failure !== 'methodMissing') throw error;
    endpoint.hasBlockReceipts = false;
    return detailByLogs(header, endpoint, bloom);
  }
};

/** Milliseconds between looks at the `finalized` block: it moves once in minutes. */
const FINALIZED_EVERY_MS = 1_000;
/** Milliseconds between looks at the height of every node. */
const SURVEY_EVERY_MS = 3_000;

export interface ChainSourceOptions {
  readonly pool: EndpointPool;
  readonly now: () => number;
}

const finalizedOf = (outcome: RpcOutcome | undefined, endpoint: Endpoint): number | null => {
  if (!outcome) return null;
  if (outcome.ok) return readHeader(outcome.result, endpoint.name)?.number ?? null;
  const failure = nodeFailure(outcome, endpoint.name);
  if (failure.failure === 'rateLimited') throw failure;
  endpoint.hasFinalizedTag = false;
  return null;
};

/** Asks each node for its height, so that one which caught up is used again. Failures only count. */
const survey = async (pool: EndpointPool): Promise<void> => {
  await Promise.allSettled(
    pool.endpoints.map(async (endpoint) => {
      const [outcome] = await endpoint.call([{ method: 'eth_blockNumber', params: [] }]);
      endpoint.height = countOf(resultOf(outcome, endpoint), endpoint.name, 'block number');
    }),
  );
};

const createFollow = ({ pool, now }: ChainSourceOptions, bloom: BloomCheck) => {
  let finalizedNumber: number | null = null;
  let finalizedAtMs = -Infinity;
  let surveyedAtMs = -Infinity;

  const read = async (endpoint: Endpoint, next: number, count: number): Promise<HeadReading> => {
    const asksFinalized = endpoint.hasFinalizedTag && now() - finalizedAtMs >= FINALIZED_EVERY_MS;
    const details = detailCalls(next, count, endpoint);
    const [latest, ...rest] = await endpoint.call([
      blockCall('latest', false),
      ...details,
      ...(asksFinalized ? [blockCall('finalized', false)] : []),
    ]);
    const head = readHeader(resultOf(latest, endpoint), endpoint.name);
    if (!head) throw new RpcError('behind', endpoint.name, 'no latest block');
    endpoint.height = head.number;
    if (asksFinalized) {
      finalizedNumber = finalizedOf(rest[details.length], endpoint) ?? finalizedNumber;
      finalizedAtMs = now();
    }
    const blocks =
      count > 0
        ? await readDetails(rest.slice(0, details.length), next, count, endpoint, bloom)
        : [];
    const last = blocks.at(-1)?.header;
    const highest = last && last.number > head.number ? last : plainHeader(head);
    return { head: highest, finalizedNumber, blocks, endpoint: endpoint.name };
  };

  return async (next: number, count: number): Promise<HeadReading> => {
    if (pool.endpoints.length > 1 && now() - surveyedAtMs >= SURVEY_EVERY_MS) {
      surveyedAtMs = now();
      await survey(pool);
    }
    return pool.run((endpoint) => judged(endpoint, () => read(endpoint, next, count)), next - 1);
  };
};

/** Seconds of each block with a log: from the logs, or from headers where a node leaves them out. */
const timestampsOf = async (
  logs: readonly RawLog[],
  endpoint: Endpoint,
): Promise<Map<number, number>> => {
  const times = new Map<number, number>();
  const missing = new Map<number, Hex>();
  for (const log of logs) {
    const number = Number(log.blockNumber);
    if (times.has(number) || missing.has(number)) continue;
    if (log.blockTimestamp === undefined || log.blockTimestamp === null)
      missing.set(number, log.blockHash);
    else times.set(number, countOf(log.blockTimestamp, endpoint.name, 'timestamp of a log'));
  }
  const wanted = [...missing];
  const outcomes = await endpoint.call(wanted.map(([number]) => blockCall(number, false)));
  for (const [i, [number, hash]] of wanted.entries()) {
    const header = readHeader(resultOf(outcomes[i], endpoint), endpoint.name);
    if (header?.hash !== hash)
      throw new RpcError('answer', endpoint.name, `log of another block than ${number}`);
    times.set(number, header.timestampS);
  }
  return times;
};

/** A reading of a range that looks as if logs were left out is believed once a second one agrees. */
const readRange = async (
  endpoint: Endpoint,
  from: number,
  to: number,
  bloom: BloomCheck,
): Promise<VerifiedRange & { suspicious: boolean }> => {
  const filter = { fromBlock: hex(from), toBlock: hex(to), topics: [FACT_TOPICS] };
  const [header, logsAnswer] = await endpoint.call([
    blockCall(to, false),
    { method: 'eth_getLogs', params: [filter] },
  ]);
  const end = readHeader(resultOf(header, endpoint), endpoint.name);
  if (!end) throw new RpcError('behind', endpoint.name, `no block ${to}`);
  if (end.number !== to) throw new RpcError('answer', endpoint.name, 'another block than asked');
  const logs = readLogs(resultOf(logsAnswer, endpoint, to - from + 1), endpoint.name);
  verifyRangeLogs(logs, from, end, endpoint.name);
  const present = new Set(
    logs.filter((log) => log.blockHash === end.hash).map((log) => log.topics[0]),
  );
  const suspicious = FACT_TOPICS.some(
    (topic) => !present.has(topic) && bloom.mayHold(end.logsBloom, topic),
  );
  const timestampsS = await timestampsOf(logs, endpoint);
  return { from, to: plainHeader(end), logs, timestampsS, suspicious };
};

const createRange = (pool: EndpointPool, bloom: BloomCheck) => {
  const once = (from: number, to: number, avoid?: Endpoint) =>
    pool.run(async (endpoint) => {
      if (endpoint === avoid)
        throw new RpcError('node', endpoint.name, 'asked for a second opinion');
      const reading = await judged(endpoint, () => readRange(endpoint, from, to, bloom));
      return { reading, endpoint };
    }, to);
  return async (from: number, to: number): Promise<VerifiedRange> => {
    const first = await once(from, to);
    const noneOfEnd = !first.reading.logs.some((log) => log.blockHash === first.reading.to.hash);
    if (!first.reading.suspicious || !noneOfEnd) return first.reading;
    const avoid = pool.endpoints.length > 1 ? first.endpoint : undefined;
    const second = await once(from, to, avoid);
    const agree = second.reading.logs.length === first.reading.logs.length;
    if (agree) return second.reading;
    const failure = new RpcError(
      'answer',
      first.endpoint.name,
      `${from}..${to}: two answers disagree`,
    );
    const lost = first.reading.logs.length < second.reading.logs.length ? first : second;
    lost.endpoint.penalize(failure);
    return lost === first ? second.reading : first.reading;
  };
};

/**
 * The watcher's view of a chain: whatever it returns has passed the cross-checks of one node's
 * answers with one another. Hashes name blocks for good, so parts may come from different nodes.
 */
export const createRpcChainSource = (options: ChainSourceOptions): RpcChainSource => {
  const { pool } = options;
  const bloom = createBloomCheck();
  return {
    follow: createFollow(options, bloom),
    range: createRange(pool, bloom),
    header: (id) =>
      pool.run((endpoint) =>
        judged(endpoint, async () => {
          const call =
            typeof id === 'number'
              ? blockCall(id, false)
              : { method: 'eth_getBlockByHash', params: [id, false] };
          const [outcome] = await endpoint.call([call]);
          const header = readHeader(resultOf(outcome, endpoint), endpoint.name);
          if (!header) throw new RpcError('behind', endpoint.name, `no block ${id}`);
          if (header.hash !== id && header.number !== id) {
            throw new RpcError('answer', endpoint.name, 'another block than asked');
          }
          return plainHeader(header);
        }),
      ),
    blocks: (from, to) =>
      pool.run(
        (endpoint) =>
          judged(endpoint, async () => {
            const count = to - from + 1;
            const outcomes = await endpoint.call(detailCalls(from, count, endpoint));
            const blocks = await readDetails(outcomes, from, count, endpoint, bloom);
            if (blocks.length < count)
              throw new RpcError('behind', endpoint.name, `no block ${from + blocks.length}`);
            return blocks;
          }),
        to,
      ),
  };
};
