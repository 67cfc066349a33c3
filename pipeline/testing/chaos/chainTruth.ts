import type { PublicClient } from 'viem';
import { z } from 'zod';
import { type Hex, ZERO_ADDRESS } from '../../../shared/chain/block.ts';
import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import { TOPIC } from '../../../shared/decode/topic.ts';
import type { Clickhouse } from '../../../shared/platform/clickhouse.ts';
import type { Rpc } from '../../../shared/platform/rpc/createRpc.ts';
import { createChainIndex } from '../../clusters/chainIndex.ts';
import { contractsIn, creationsIn } from '../../clusters/facts/creations.ts';
import { NATIVE_DUST } from '../../clusters/facts/graphOfBlock.ts';
import { createRingDetector } from '../../clusters/graph/createRingDetector.ts';
import { RingMemory } from '../../clusters/memory/ringMemory.ts';
import { rangeOfBlocks } from '../../watcher/blockRange.ts';

/** A log as returned by the node. */
export interface TruthLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly logIndex: number;
  readonly transactionHash: Hex;
}

/** Every log of the canonical chain by one `eth_getLogs`. */
export const readLogs = async (client: PublicClient): Promise<TruthLog[]> => {
  const range = { fromBlock: '0x0', toBlock: 'latest' } as const;
  const logs = await client.request({ method: 'eth_getLogs', params: [range] });
  return logs.map((log) => ({
    address: log.address.toLowerCase() as Hex,
    topics: log.topics,
    data: log.data,
    blockNumber: Number(log.blockNumber),
    blockHash: log.blockHash ?? '0x',
    logIndex: Number(log.logIndex),
    transactionHash: log.transactionHash ?? '0x',
  }));
};

const BLOCKS_PER_CALL = 20;

/** The canonical chain block by block, decoded, without empty blocks. */
export const readBlocks = async ({ source }: Rpc): Promise<BlockFacts[]> => {
  const { head } = await source.follow(0, 0);
  const blocks: BlockFacts[] = [];
  for (let from = 0; from <= head.number; from += BLOCKS_PER_CALL) {
    const read = await source.blocks(from, Math.min(head.number, from + BLOCKS_PER_CALL - 1));
    blocks.push(...rangeOfBlocks(read).blocks);
  }
  return blocks;
};

const wordAt = (data: Hex, index: number): bigint =>
  BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index)}`);
const addressIn = (topic: Hex | undefined): Hex => `0x${(topic ?? '').slice(26)}`;

/** One line per ERC-20 transfer: block hash, log, token, from, to, value. */
export const transferLines = (logs: readonly TruthLog[]): string[] =>
  logs
    .filter(
      ({ topics, data }) =>
        topics[0] === TOPIC.transfer && topics.length === 3 && data.length === 66,
    )
    .map(({ blockHash, logIndex, address, topics, data }) =>
      [
        blockHash,
        logIndex,
        address,
        addressIn(topics[1]),
        addressIn(topics[2]),
        wordAt(data, 0),
      ].join(' '),
    )
    .toSorted();

const POOL_KINDS: ReadonlyMap<Hex, string> = new Map([
  [TOPIC.sync, 'sync'],
  [TOPIC.swap, 'swap'],
  [TOPIC.mint, 'mint'],
  [TOPIC.burn, 'burn'],
]);

/** One line per pool event: block hash, log, pool, kind, and the reserves of a Sync. */
export const poolEventLines = (logs: readonly TruthLog[]): string[] =>
  logs
    .flatMap(({ blockHash, logIndex, address, topics, data }) => {
      const kind = POOL_KINDS.get(topics[0] ?? '0x');
      if (!kind) return [];
      const reserves = kind === 'sync' ? [wordAt(data, 0), wordAt(data, 1)] : [0n, 0n];
      return [[blockHash, logIndex, address, kind, ...reserves].join(' ')];
    })
    .toSorted();

/** Expected content of a token's verdict. */
interface TruthVerdict {
  readonly block: Hex;
  readonly holderCount: number;
  readonly transactionCount: number;
  readonly liquidityUsd: number;
}

const BURNT: readonly Hex[] = [ZERO_ADDRESS, '0x000000000000000000000000000000000000dead'];

/** Holders, transactions, liquidity and last activity of a token, from logs only. */
export const truthOf = (
  token: { readonly address: Hex; readonly madeIn: Hex; readonly madeAt: number },
  pool: { readonly address: Hex; readonly tokenIs0: boolean } | undefined,
  logs: readonly TruthLog[],
  nativeUsd: number,
): TruthVerdict => {
  const transfers = logs.filter(
    ({ address, topics }) => address === token.address && topics[0] === TOPIC.transfer,
  );
  const balances = new Map<Hex, bigint>();
  for (const { topics, data } of transfers) {
    const [from, to, value] = [addressIn(topics[1]), addressIn(topics[2]), wordAt(data, 0)];
    balances.set(from, (balances.get(from) ?? 0n) - value);
    balances.set(to, (balances.get(to) ?? 0n) + value);
  }
  const syncs = logs.filter(
    ({ address, topics }) => address === pool?.address && topics[0] === TOPIC.sync,
  );
  const lastSync = syncs.at(-1);
  const base = lastSync ? Number(wordAt(lastSync.data, pool?.tokenIs0 ? 1 : 0)) / 1e18 : 0;
  // A change of owner and transfers of the pool's shares touch a token too.
  const others = logs.filter(
    ({ address, topics: [topic] }) =>
      (address === token.address && topic === TOPIC.ownershipTransferred) ||
      (address === pool?.address && topic === TOPIC.transfer),
  );
  const last = [...transfers, ...syncs, ...others].reduce(
    (latest, log) =>
      log.blockNumber > latest.number ? { number: log.blockNumber, hash: log.blockHash } : latest,
    { number: token.madeAt, hash: token.madeIn },
  );
  return {
    block: last.hash,
    holderCount: [...balances].filter(([of, raw]) => raw > 0n && !BURNT.includes(of)).length,
    transactionCount: new Set(transfers.map(({ transactionHash }) => transactionHash)).size,
    liquidityUsd: 2 * base * nativeUsd,
  };
};

/** The native and the stable token of a chain. */
interface RingBases {
  readonly weth: Hex;
  readonly stable: Hex;
}

const ringLine = (members: readonly string[], tokens: number, scams: number): string =>
  `${members.toSorted().join(' ')}: ${scams} scams of ${tokens} tokens`;

/**
 * One line per ring found by a detector that never crashed nor saw a reorg: it reads the canonical chain block by
 * block, and then receives the stored verdicts. Creations are those of the stored tokens.
 */
export const ringLines = async (
  clickhouse: Clickhouse,
  chainId: number,
  blocks: readonly BlockFacts[],
  { weth, stable }: RingBases,
): Promise<string[]> => {
  const index = createChainIndex(clickhouse, chainId);
  const detector = createRingDetector({ hubs: [weth], dustValue: NATIVE_DUST });
  const memory = new RingMemory(detector, { weth, all: new Set([weth, stable]) });
  const creations = creationsIn(await index.creations(contractsIn(blocks)), blocks);
  for (const block of blocks) {
    const own = creations.filter((creation) => creation.block.hash === block.hash);
    memory.learn(memory.graphOf(block, own));
  }
  const verdicts = await index.verdicts(creations.map(({ token }) => token));
  for (const [token, isScam] of verdicts) memory.setVerdict(token, isScam);
  return [...detector.rings()]
    .map(({ members, statistics: { tokensCreated, scams } }) => {
      const wallets = members.map(
        ({ wallet, role }) => `${wallet}${role === 'master' ? ' (master)' : ''}`,
      );
      return ringLine(wallets, tokensCreated, scams);
    })
    .toSorted();
};

const ringsSql = `SELECT arrayMap(m -> concat('0x', lower(hex(m.wallet)), if(m.role = 'master', ' (master)', '')), c.members) AS wallets,
    c.tokens_created AS tokens, c.scams AS scams, c.size AS size
  FROM clusters AS c FINAL WHERE notEmpty(c.members)`;
const ringSchema = z.object({
  wallets: z.array(z.string()),
  tokens: z.coerce.number(),
  scams: z.coerce.number(),
  size: z.coerce.number(),
});

/**
 * One line per stored ring, in the form of `ringLines`. @throws if a ring's size is not the number of its members.
 */
export const storedRings = async (clickhouse: Clickhouse): Promise<string[]> => {
  const rows = await clickhouse.query(ringsSql, {}, ringSchema);
  return rows
    .map(({ wallets, tokens, scams, size }) => {
      if (size !== wallets.length)
        throw new Error(`a ring of ${size} has ${wallets.length} members`);
      return ringLine(wallets, tokens, scams);
    })
    .toSorted();
};
