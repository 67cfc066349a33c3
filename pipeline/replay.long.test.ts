import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { ethereum } from '../shared/chain/profiles/ethereum.ts';
import { decodeLog } from '../shared/decode/decodeLog.ts';
import type { RawLog } from '../shared/decode/rawBlock.ts';
import { TOPIC } from '../shared/decode/topic.ts';
import type { Clickhouse } from '../shared/platform/clickhouse.ts';
import { tempFolder } from '../shared/testing/tempFolder.ts';
import {
  type PipelineStack,
  RECORDED_BLOCKS,
  RECORDED_MARKET,
  type Replay,
  readReplay,
  skipUnless,
  startPipelineStack,
  startReplay,
} from './testing/pipelineStack.ts';

const CHAIN_ID = 1;
/** Scored at most once a minute: no test here compares their verdicts. */
const BASES = [ethereum.weth, ...ethereum.stables.map(({ address }) => address)];
const RUN_MS = 360_000;

const readGzip = (path: string): string => gunzipSync(readFileSync(path)).toString();
const byKey = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** All rows of a SELECT, each as one line of text, sorted. */
const lines = async (clickhouse: Clickhouse, sql: string): Promise<string[]> => {
  const rows = await clickhouse.query(
    sql,
    {},
    z.record(z.union([z.string(), z.number(), z.null()])),
  );
  return rows.map((row) => Object.values(row).join(' ')).toSorted(byKey);
};

const TRANSFERS_SQL = `SELECT block_number, block_hash, log_index, tx_hash, token, from_address,
  to_address, toString(value) AS amount FROM transfers`;
const NATIVE_SQL = `SELECT block_number, block_hash, tx_index, tx_hash, from_address, to_address,
  toString(value) AS amount FROM native_transfers`;
const POOL_EVENTS_SQL = `SELECT kind, block_number, block_hash, log_index, tx_hash, pool, sender, recipient,
  toString(amount0_in) AS a, toString(amount1_in) AS b, toString(amount0_out) AS c,
  toString(amount1_out) AS d, toString(reserve0) AS e, toString(reserve1) AS f FROM pool_events`;
const POOLS_SQL = `SELECT block_number, block_hash, log_index, tx_hash, factory, pool, token0, token1 FROM pools`;

const TRADES_SQL = `SELECT protocol, market, block_number, block_hash, log_index, transaction_hash,
  toString(amount0) AS gained0, toString(amount1) AS gained1 FROM trades WHERE protocol != 'uniswap_v2'`;

// ---- recorded blocks

interface RecordedLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: string;
  readonly transactionHash: string;
}
interface RecordedReceipt {
  readonly status: string | null | undefined;
  readonly contractAddress: string | null;
  readonly logs: readonly RecordedLog[];
}
interface RecordedTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
}
interface RecordedBlock {
  /** Height on the replayed chain. */
  readonly number: number;
  readonly original: string;
  readonly hash: string;
  readonly transactions: readonly RecordedTransaction[];
  readonly receipts: readonly RecordedReceipt[];
  readonly logs: readonly RecordedLog[];
}

/** The tool renumbers the recorded blocks from here on. */
const FIRST_BLOCK = 1_000;

const readRecordedBlocks = (): RecordedBlock[] =>
  readdirSync(join(RECORDED_BLOCKS, 'blocks'))
    .map((file) => file.replace('.json.gz', ''))
    .toSorted((a, b) => Number(a) - Number(b))
    .map((original, i) => {
      const { block, receipts } = JSON.parse(
        readGzip(join(RECORDED_BLOCKS, 'blocks', `${original}.json.gz`)),
      ) as {
        block: { hash: string; transactions: RecordedTransaction[] };
        receipts: RecordedReceipt[];
      };
      const logs = receipts.flatMap((receipt) => receipt.logs);
      const { hash, transactions } = block;
      return { number: FIRST_BLOCK + i, original, hash, transactions, receipts, logs };
    });

const addressIn = (topic: string | undefined): string => `0x${(topic ?? '').slice(26)}`;
const ofTopic = (block: RecordedBlock, topic: string): RecordedLog[] =>
  block.logs.filter((log) => log.topics[0] === topic);
const isErc20Transfer = ({ topics, data }: RecordedLog): boolean =>
  topics[0] === TOPIC.transfer && topics.length === 3 && data.length === 66;

const transferLines = (blocks: readonly RecordedBlock[]): string[] =>
  blocks
    .flatMap(({ number, hash, logs }) =>
      logs.filter(isErc20Transfer).map((log) => {
        const place = `${number} ${hash} ${Number(log.logIndex)} ${log.transactionHash}`;
        const [from, to] = [addressIn(log.topics[1]), addressIn(log.topics[2])];
        return `${place} ${log.address.toLowerCase()} ${from} ${to} ${BigInt(log.data)}`;
      }),
    )
    .toSorted(byKey);

/** Trades of other protocols than Uniswap V2; amounts are the market's gains. */
const tradeLines = (blocks: readonly RecordedBlock[]): string[] =>
  blocks
    .flatMap(({ number, hash, logs }) =>
      logs.flatMap((log) => {
        const fact = decodeLog(log as unknown as RawLog);
        if (typeof fact === 'string' || fact.kind !== 'swap') return [];
        if (fact.protocol === 'uniswap_v2') return [];
        const gained0 = BigInt(fact.amount0In) - BigInt(fact.amount0Out);
        const gained1 = BigInt(fact.amount1In) - BigInt(fact.amount1Out);
        const place = `${number} ${hash} ${Number(log.logIndex)} ${log.transactionHash}`;
        return [`${fact.protocol} ${fact.pool} ${place} ${gained0} ${gained1}`];
      }),
    )
    .toSorted(byKey);

const nativeLines = (blocks: readonly RecordedBlock[]): string[] =>
  blocks
    .flatMap(({ number, hash, transactions, receipts }) =>
      transactions.flatMap(({ hash: txHash, from, to, value }, i) => {
        const { status, contractAddress } = receipts[i] ?? {};
        if (BigInt(value) === 0n || status === '0x0') return [];
        const place = `${number} ${hash} ${i} ${txHash}`;
        return [`${place} ${from} ${to ?? contractAddress} ${BigInt(value)}`.toLowerCase()];
      }),
    )
    .toSorted(byKey);

const factsSchema = z.object({
  blocks: z.record(
    z.object({
      erc20_transfer: z.number().default(0),
      sync_v2: z.number().default(0),
      swap_v2: z.number().default(0),
      mint_v2: z.number().default(0),
      burn_v2: z.number().default(0),
      pair_created_v2: z.number().default(0),
    }),
  ),
});

describe('recorded mainnet blocks, from the node to the tables', {
  skip: skipUnless(RECORDED_BLOCKS),
}, () => {
  const blocks = existsSync(RECORDED_BLOCKS) ? readRecordedBlocks() : [];
  const last = FIRST_BLOCK + blocks.length - 1;
  let replay: Replay | undefined;
  let stack: PipelineStack;

  before(async () => {
    stack = await startPipelineStack();
    replay = await startReplay(['blocks', RECORDED_BLOCKS]);
    readReplay(stack, replay, { chainId: CHAIN_ID, startBlock: FIRST_BLOCK });
    await stack.untilScored(CHAIN_ID, last, RUN_MS, BASES);
  });
  after(async () => {
    await stack.stop();
    await replay?.process.stop();
  });

  const countsByBlock = async (table: string, where = '1'): Promise<Map<number, number>> => {
    const rows = await stack.clickhouse.query(
      `SELECT block_number AS number, count() AS rows FROM ${table} WHERE ${where} GROUP BY block_number`,
      {},
      z.object({ number: z.number(), rows: z.number() }),
    );
    return new Map(rows.map(({ number, rows: count }) => [number, count]));
  };

  it('counts what facts.json counts, block by block', async () => {
    const recorded = factsSchema.parse(
      JSON.parse(readFileSync(join(RECORDED_BLOCKS, 'facts.json'), 'utf8')),
    );
    const [transfers, syncs, swaps, mints, burns, pairs] = await Promise.all([
      countsByBlock('transfers'),
      countsByBlock('pool_events', `kind = 'sync'`),
      countsByBlock('pool_events', `kind = 'swap'`),
      countsByBlock('pool_events', `kind = 'mint'`),
      countsByBlock('pool_events', `kind = 'burn'`),
      countsByBlock('pools'),
    ]);
    for (const block of blocks) {
      const facts = recorded.blocks[block.original];
      assert.ok(facts, `facts of block ${block.original}`);
      // Compound's Mint(address,uint256,uint256) has the same topic and indexes nothing.
      const poolMints = ofTopic(block, TOPIC.mint).filter(({ topics }) => topics.length === 2);
      assert.equal(ofTopic(block, TOPIC.mint).length, facts.mint_v2);
      assert.deepEqual(
        [transfers, syncs, swaps, mints, burns, pairs].map(
          (counts) => counts.get(block.number) ?? 0,
        ),
        [
          facts.erc20_transfer,
          facts.sync_v2,
          facts.swap_v2,
          poolMints.length,
          facts.burn_v2,
          facts.pair_created_v2,
        ],
        `block ${block.original}`,
      );
    }
    const sum = (counts: Map<number, number>): number =>
      [...counts.values()].reduce((total, count) => total + count, 0);
    assert.deepEqual(
      [transfers, syncs, swaps, mints, burns, pairs].map(sum),
      [4711, 471, 464, 7, 1, 1],
    );
  });

  it('stores every transfer as its receipt has it, and no other', async () => {
    assert.deepEqual(await lines(stack.clickhouse, TRANSFERS_SQL), transferLines(blocks));
  });

  it('shows every trade of another market as viem reads its log, and no other', async () => {
    const wanted = tradeLines(blocks);
    assert.equal(wanted.length, 145 + 2 + 7 + 3);
    assert.deepEqual(await lines(stack.clickhouse, TRADES_SQL), wanted);
  });

  it('stores every native transfer that succeeded, and no other', async () => {
    assert.deepEqual(await lines(stack.clickhouse, NATIVE_SQL), nativeLines(blocks));
  });
});

// ---- recorded market

/** Blocks of the run, in which a pool is created every 150: `make market` reads more. */
const MARKET_BLOCKS = Number(process.env['MARKET_BLOCKS'] ?? 8_000);
const BLOCKS_A_POOL_MAX = 250;
/** New pools appear until shortly before its end. */
const MARKET_END = 13_343_000;
const MARKET_START = MARKET_END - MARKET_BLOCKS;
/** Head at the start of the run in which it moves, and blocks a second from there on. */
const MOVING_FROM = MARKET_END - 1_600;
const BLOCKS_PER_S = 400;

interface MarketRow {
  readonly pool: string;
  readonly block: number;
  readonly cells: readonly string[];
  readonly line: string;
}
interface MarketFile {
  readonly header: string;
  readonly rows: readonly MarketRow[];
}

const readMarket = (name: string): MarketFile => {
  const [header = '', ...rest] = readGzip(join(RECORDED_MARKET, name)).trimEnd().split('\n');
  const rows = rest.map((line) => {
    const cells = line.trim().split(',');
    return { pool: cells[0] ?? '', block: Number(cells[1]), cells, line };
  });
  return { header, rows };
};

/** The rows up to the end of the run: the tool's head cannot be stopped elsewhere. */
const writeCut = (file: string, { header, rows }: MarketFile): void => {
  const kept = rows.filter(({ block }) => block <= MARKET_END).map(({ line }) => line);
  writeFileSync(file, gzipSync([header, ...kept].join('\n')));
};

const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
const inRun = ({ block }: { block: number }): boolean =>
  block >= MARKET_START && block <= MARKET_END;

/** Contents of the tables after a run. */
interface MarketResult {
  readonly transfers: string[];
  readonly poolEvents: string[];
  readonly pools: string[];
  readonly tokens: string[];
  readonly verdicts: string[];
}

const TOKENS_SQL = `SELECT token, name, symbol, decimals, creator, creator_source, created_block,
  created_tx FROM tokens`;
const VERDICTS_SQL = `SELECT token, prediction, risk_score, block_number, block_hash, creator,
  JSONExtractFloat(doc, 'margin') AS margin, 
  JSONExtractRaw(doc, 'features') AS features FROM verdicts`;

const readResult = async (clickhouse: Clickhouse): Promise<MarketResult> => ({
  transfers: await lines(clickhouse, TRANSFERS_SQL),
  poolEvents: await lines(clickhouse, POOL_EVENTS_SQL),
  pools: await lines(clickhouse, POOLS_SQL),
  tokens: await lines(clickhouse, TOKENS_SQL),
  verdicts: await lines(clickhouse, VERDICTS_SQL),
});

describe('the market of 2021, from the node to the verdicts', {
  skip: skipUnless(RECORDED_MARKET),
}, () => {
  const folder = tempFolder();
  const cuts = [join(folder, 'sync.csv.gz'), join(folder, 'lp.csv.gz')] as const;
  const pools = join(RECORDED_MARKET, 'pools.csv.gz');
  let syncs: MarketFile;
  let lpTransfers: MarketFile;
  let reference: MarketResult;

  const runMarket = async (options: readonly string[]): Promise<MarketResult> => {
    const stack = await startPipelineStack();
    let replay: Replay | undefined;
    try {
      replay = await startReplay(['market', cuts[0], pools, cuts[1], ...options]);
      readReplay(stack, replay, { chainId: CHAIN_ID, startBlock: MARKET_START });
      await stack.untilScored(CHAIN_ID, MARKET_END, RUN_MS);
      return await readResult(stack.clickhouse);
    } finally {
      await stack.stop();
      await replay?.process.stop();
    }
  };

  before(async () => {
    syncs = readMarket('sync-2021-early.csv.gz');
    lpTransfers = readMarket('lp-transfers-2021-early.csv.gz');
    writeCut(cuts[0], syncs);
    writeCut(cuts[1], lpTransfers);
    reference = await runMarket([]);
  });

  const tokenOf = (): Map<string, string> =>
    new Map(readMarket('pools.csv.gz').rows.map(({ cells }) => [cells[1] ?? '', cells[2] ?? '']));

  it('stores the record: every Sync and every LP transfer, and no other', () => {
    const tokens = tokenOf();
    const wanted = syncs.rows.filter(inRun).map(({ pool, block, cells }) => {
      const [weth, token] = [cells[4], cells[5]];
      const isWethFirst = BigInt(WETH) < BigInt(tokens.get(pool) ?? 0);
      return `${block} ${pool} ${isWethFirst ? `${weth} ${token}` : `${token} ${weth}`}`;
    });
    const stored = reference.poolEvents.map((line) => {
      const [kind, block, , , , pool, , , , , , , reserve0, reserve1] = line.split(' ');
      assert.equal(kind, 'sync');
      return `${block} ${pool} ${reserve0} ${reserve1}`;
    });
    assert.deepEqual(stored.toSorted(byKey), wanted.toSorted(byKey));
    const moves = lpTransfers.rows.filter(inRun).map(({ pool, block, cells }) => {
      const [from, to, value] = [cells[4], cells[5], cells[6]];
      return `${block} ${pool} ${from} ${to} ${value}`;
    });
    const storedMoves = reference.transfers.map((line) => {
      const [block, , , , ...rest] = line.split(' ');
      return [block, ...rest].join(' ');
    });
    assert.deepEqual(storedMoves.toSorted(byKey), moves.toSorted(byKey));
  });

  it('finds every new pool and makes a verdict on its token', () => {
    const firstSync = new Map<string, number>();
    for (const { pool, block } of syncs.rows) {
      firstSync.set(pool, Math.min(block, firstSync.get(pool) ?? Infinity));
    }
    const created = [...firstSync].filter(([, block]) => inRun({ block })).map(([pool]) => pool);
    assert.ok(created.length > MARKET_BLOCKS / BLOCKS_A_POOL_MAX, 'the run has new pools');
    const stored = reference.pools.map((line) => line.split(' ')[5] ?? '');
    assert.deepEqual(stored.toSorted(byKey), created.toSorted(byKey));
    const tokens = tokenOf();
    const judged = new Set(reference.verdicts.map((line) => line.split(' ')[0]));
    const missing = created.filter((pool) => !judged.has(tokens.get(pool) ?? ''));
    assert.deepEqual(missing, []);
  });

  /** Compares table by table: a difference shows its own rows only. */
  const assertSame = (result: MarketResult): void => {
    for (const table of ['transfers', 'poolEvents', 'pools', 'tokens', 'verdicts'] as const) {
      const [known, found] = [new Set(reference[table]), new Set(result[table])];
      const missing = reference[table].filter((line) => !found.has(line));
      const added = result[table].filter((line) => !known.has(line));
      assert.deepEqual({ table, missing, added }, { table, missing: [], added: [] });
      assert.equal(result[table].length, reference[table].length, table);
    }
  };

  it('stores the same while the head moves', async () => {
    const moving = ['--head', String(MOVING_FROM), '--speed', String(BLOCKS_PER_S)];
    assertSame(await runMarket(moving));
  });
});
