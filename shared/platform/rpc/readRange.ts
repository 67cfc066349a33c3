import type { Hex } from '../../chain/block.ts';
import { FACT_TOPICS } from '../../decode/decodeLog.ts';
import type { RawLog, VerifiedRange } from '../../decode/rawBlock.ts';
import type { BloomCheck } from './bloom.ts';
import type { Endpoint } from './endpoint.ts';
import type { EndpointPool } from './endpointPool.ts';
import type { RpcOutcome } from './jsonRpc.ts';
import { blockCall, hex, penalizing, resultOf } from './nodeCalls.ts';
import { countOf, plainHeader, readHeader, readLogs } from './readAnswer.ts';
import { RpcError } from './rpcError.ts';
import { verifyRangeLogs } from './verifyBlock.ts';

/** Timestamps of each block with a log: from the logs, or from headers if a node omits them. */
const timestampsOf = async (
  logs: readonly RawLog[],
  endpoint: Endpoint,
): Promise<Map<number, number>> => {
  const times = new Map<number, number>();
  const missing = new Map<number, Hex>();
  let previous = '';
  for (const log of logs) {
    if (log.blockNumber === previous) continue;
    previous = log.blockNumber;
    const number = Number(log.blockNumber);
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

/**
 * The logs of a range. If a node does not return a list for a range of several blocks, the range counts as too wide.
 */
const logsOfRange = (
  answer: RpcOutcome | undefined,
  endpoint: Endpoint,
  isOfSeveralBlocks: boolean,
): readonly RawLog[] => {
  const logs = resultOf(answer, endpoint, isOfSeveralBlocks);
  if (isOfSeveralBlocks && !Array.isArray(logs))
    throw new RpcError('rangeTooLarge', endpoint.name, 'no list of logs');
  return readLogs(logs, endpoint.name);
};

/** A result that seems to lack logs is accepted once a second one agrees. */
const readRange = async (
  endpoint: Endpoint,
  from: number,
  to: number,
  bloom: BloomCheck,
): Promise<VerifiedRange & { suspicious: boolean }> => {
  const filter = { fromBlock: hex(from), toBlock: hex(to), topics: [FACT_TOPICS] };
  const isDivisible = to > from;
  const [header, logsAnswer] = await endpoint.call(
    [blockCall(to, false), { method: 'eth_getLogs', params: [filter] }],
    { isDivisible },
  );
  const end = readHeader(resultOf(header, endpoint), endpoint.name);
  if (!end) throw new RpcError('behind', endpoint.name, `no block ${to}`);
  if (end.number !== to) throw new RpcError('answer', endpoint.name, 'another block than asked');
  const logs = logsOfRange(logsAnswer, endpoint, isDivisible);
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

/** Number of logs of the last block in a result. */
const logsOfEnd = ({ logs, to }: VerifiedRange): number =>
  logs.filter(({ blockHash }) => blockHash === to.hash).length;

/** Reads the logs of final blocks, and asks again if an answer lacks logs that its bloom filter promises. */
export const createRange = (pool: EndpointPool, bloom: BloomCheck) => {
  const once = (from: number, to: number, avoid?: Endpoint) =>
    pool.run(async (endpoint) => {
      if (endpoint === avoid)
        throw new RpcError('node', endpoint.name, 'asked for confirmation by another node');
      const reading = await penalizing(endpoint, () => readRange(endpoint, from, to, bloom));
      return { reading, endpoint };
    }, to);
  /**
   * Two results may be truncated at the same place. Requesting the last block separately is another query, with its
   * own answer.
   */
  const confirmed = async ({ reading, endpoint }: Awaited<ReturnType<typeof once>>) => {
    const filter = { blockHash: reading.to.hash, topics: [FACT_TOPICS] };
    const own = await pool.run(async (other) => {
      const [answer] = await other.call([{ method: 'eth_getLogs', params: [filter] }]);
      return readLogs(resultOf(answer, other), other.name);
    }, reading.to.number);
    if (own.length <= logsOfEnd(reading)) return reading;
    const failure = new RpcError(
      'answer',
      endpoint.name,
      `${reading.from}..${reading.to.number}: logs of its last block are left out`,
    );
    endpoint.penalize(failure);
    throw failure;
  };
  return async (from: number, to: number): Promise<VerifiedRange> => {
    const first = await once(from, to);
    if (!first.reading.suspicious) return first.reading;
    if (logsOfEnd(first.reading) > 0) return confirmed(first);
    const avoid = pool.endpoints.length > 1 ? first.endpoint : undefined;
    const second = await once(from, to, avoid);
    const agree = second.reading.logs.length === first.reading.logs.length;
    if (agree) return confirmed(second);
    const failure = new RpcError(
      'answer',
      first.endpoint.name,
      `${from}..${to}: two answers disagree`,
    );
    const lost = first.reading.logs.length < second.reading.logs.length ? first : second;
    lost.endpoint.penalize(failure);
    // The longer answer may be truncated as well.
    return confirmed(lost === first ? second : first);
  };
};
