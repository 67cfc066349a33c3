import { type Hex, ZERO_HASH } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { decodeLog, FACT_TOPICS } from '../../../shared/decode/decodeLog.ts';
import { numberOf } from '../../../shared/decode/hex.ts';
import type { RawLog } from '../../../shared/decode/rawBlock.ts';
import { TOPIC } from '../../../shared/decode/topic.ts';
import { RetryableError } from '../../../shared/platform/errors.ts';
import type { RpcOutcome } from '../../../shared/platform/rpc/jsonRpc.ts';
import { readLogs } from '../../../shared/platform/rpc/readAnswer.ts';
import type { FirstSeen } from '../ingest/touched.ts';
import { addressInWord, encodeCall, quantity } from '../simulation/evmCode.ts';
import type { ChainNode } from '../token/tokenReader.ts';

/** `getPair(address,address)`: first four bytes of keccak-256 of the signature. */
const GET_PAIR = '0xe6a43905';
/** How far back a token's history is read on demand. */
const HISTORY_BLOCKS_MAX = 50_000;
const BLOCKS_PER_CALL_MAX = 10_000;
/** Logs read on demand per token. */
const HISTORY_LOGS_MAX = 50_000;

/** Filter of the logs, besides the blocks. */
interface LogFilter {
  readonly address?: readonly Hex[];
  readonly topics: readonly (Hex | readonly Hex[] | null)[];
}

const groupByBlock = (logs: readonly RawLog[]): BlockFacts[] => {
  const blocks = new Map<Hex, { number: number; hash: Hex; timestampS: number; facts: Fact[] }>();
  for (const log of logs) {
    const fact = decodeLog(log);
    if (typeof fact === 'string') continue;
    const block = blocks.get(log.blockHash) ?? {
      number: numberOf(log.blockNumber),
      hash: log.blockHash,
      timestampS: numberOf(log.blockTimestamp),
      facts: [],
    };
    block.facts.push(fact);
    blocks.set(log.blockHash, block);
  }
  return [...blocks.values()].toSorted((a, b) => a.number - b.number);
};

export const createHistoryReader = (node: ChainNode) => {
  const timestampOf = async (block: BlockFacts): Promise<BlockFacts> => {
    if (Number.isFinite(block.timestampS)) return block;
    const [outcome] = await node.batch([
      { method: 'eth_getBlockByHash', params: [block.hash, false] },
    ]);
    const header = outcome?.ok ? (outcome.result as Record<string, unknown> | null) : null;
    return { ...block, timestampS: numberOf(header?.['timestamp']) };
  };

  const logsOf = async (filter: LogFilter, from: number, to: number): Promise<RawLog[]> => {
    const range = { fromBlock: quantity(from), toBlock: quantity(to) };
    const [outcome] = await node.batch([
      { method: 'eth_getLogs', params: [{ ...filter, ...range }] },
    ]);
    if (outcome?.ok) return [...readLogs(outcome.result, 'history')];
    if (from >= to) {
      throw new RetryableError(`the node refuses the logs of block ${from}: ${outcome?.message}`);
    }
    const middle = Math.floor((from + to) / 2);
    const newer = await logsOf(filter, middle + 1, to);
    return [...(await logsOf(filter, from, middle)), ...newer];
  };

  /** The newest logs of the last blocks up to `head`, oldest first, a limited number. */
  const lastLogs = async (filter: LogFilter, from: number, head: number): Promise<RawLog[]> => {
    const first = Math.max(from, head - HISTORY_BLOCKS_MAX + 1, 0);
    let logs: RawLog[] = [];
    for (let to = head; to >= first && logs.length < HISTORY_LOGS_MAX; to -= BLOCKS_PER_CALL_MAX) {
      const start = Math.max(first, to - BLOCKS_PER_CALL_MAX + 1);
      logs = [...(await logsOf(filter, start, to)), ...logs];
    }
    return logs;
  };

  const blocksOf = async (logs: readonly RawLog[]): Promise<BlockFacts[]> => {
    const blocks = await Promise.all(groupByBlock(logs).map(timestampOf));
    return blocks.filter(({ timestampS }) => Number.isFinite(timestampS));
  };

  return {
    /** Pools of the token against the bases, of the given factories. */
    pools: async (token: Hex, factories: readonly Hex[], bases: readonly Hex[]): Promise<Hex[]> => {
      const calls = factories.flatMap((to) =>
        bases
          .filter((base) => base !== token)
          .map((base) => ({
            method: 'eth_call',
            params: [{ to, data: encodeCall(GET_PAIR, token, base) }, 'latest'],
          })),
      );
      const outcomes = calls.length > 0 ? await node.batch(calls) : [];
      return [...new Set(outcomes.flatMap((one) => addressInWord(one.ok ? one.result : '') ?? []))];
    },
    /** PairCreated events with the token in the last blocks up to `head`, of any factory, a limited number. */
    pairs: async (token: Hex, from: number, head: number): Promise<BlockFacts[]> => {
      const name = encodeCall('0x', token);
      const asFirst = await lastLogs({ topics: [TOPIC.pairCreated, name] }, from, head);
      const asSecond = await lastLogs({ topics: [TOPIC.pairCreated, null, name] }, from, head);
      return blocksOf([...asFirst, ...asSecond]);
    },
    /** Facts of the contracts in the last blocks up to `head`, oldest first, a limited number. */
    facts: async (contracts: readonly Hex[], from: number, head: number): Promise<BlockFacts[]> =>
      blocksOf(await lastLogs({ address: contracts, topics: [FACT_TOPICS] }, from, head)),
  };
};
/** Reads the history of one token before it was watched. */
export type HistoryReader = ReturnType<typeof createHistoryReader>;

/** Steps of the search: enough for 2^40 blocks. */
const STEPS_MAX = 40;

const hasCode = (outcome: RpcOutcome | undefined): boolean | undefined =>
  outcome?.ok && typeof outcome.result === 'string' ? outcome.result.length > 2 : undefined;

const headerOf = (outcome: RpcOutcome | undefined) => {
  const block = outcome?.ok ? (outcome.result as Record<string, unknown> | null) : null;
  const { hash, timestamp } = block ?? {};
  return typeof hash === 'string' && /^0x[0-9a-f]{64}$/.test(hash)
    ? { hash: hash as Hex, timestampS: numberOf(timestamp) }
    : undefined;
};

/** Binary search for the first block in which the address has code. */
export const createDeploymentFinder = (node: ChainNode) => {
  const codeAt = async (token: Hex, block: number): Promise<boolean | undefined> => {
    const [code] = await node.batch([{ method: 'eth_getCode', params: [token, quantity(block)] }]);
    return hasCode(code);
  };
  const firstBlock = async (token: Hex, head: number): Promise<number> => {
    let low = 0;
    let high = head;
    for (let step = 0; low < high && step < STEPS_MAX; step += 1) {
      const middle = Math.floor((low + high) / 2);
      const there = await codeAt(token, middle);
      if (there === undefined) return head;
      if (there) high = middle;
      else low = middle + 1;
    }
    return high;
  };
  return {
    /**
     * The block that created the contract, as a sighting; the node's head if it has no old states or returns no code.
     * Undefined if the node does not return its head.
     */
    find: async (token: Hex): Promise<FirstSeen | undefined> => {
      const [latest] = await node.batch([{ method: 'eth_blockNumber', params: [] }]);
      const head = latest?.ok ? numberOf(latest.result) : Number.NaN;
      if (Number.isNaN(head)) return undefined;
      // A node that returns no code may still answer calls: confirming the token decides, not this.
      const present = (await codeAt(token, head)) ?? false;
      const block = present ? await firstBlock(token, head) : head;
      const [header] = await node.batch([
        { method: 'eth_getBlockByNumber', params: [quantity(block), false] },
      ]);
      const place = headerOf(header);
      if (!place) return undefined;
      return {
        token,
        source: 'transfer',
        blockNumber: block,
        blockHash: place.hash,
        timestampS: place.timestampS,
        txHash: ZERO_HASH,
        creator: undefined,
      };
    },
  };
};
/** Origin of a contract that is in no fact. */
export type DeploymentFinder = ReturnType<typeof createDeploymentFinder>;
