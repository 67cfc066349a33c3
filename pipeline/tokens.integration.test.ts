import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ulid } from 'ulid';
import { z } from 'zod';
import {
  type AnalysisMessage,
  type AnalyzeJob,
  analysisMessageSchema,
  JOB_DEADLINE_MS,
  type JobRecord,
  jobKey,
  jobRecordSchema,
} from '../shared/messages/jobMessage.ts';
import { addressSchema } from '../shared/messages/schemas.ts';
import { analysisSubject, analyzeSubject, EVENTS_STREAM } from '../shared/messages/subjects.ts';
import {
  createDevnet,
  type Devnet,
  type DevnetToken,
  type TokenKind,
} from '../shared/testing/devnet/createDevnet.ts';
import { DEVNET_PRICING } from '../shared/testing/devnet/devnetAddresses.ts';

import { type TestProcess, until } from '../shared/testing/pipelineProcess.ts';
import { type Service, startAnvil } from '../shared/testing/services.ts';
import { type PipelineStack, startPipelineStack } from './testing/pipelineStack.ts';

const CHAIN_ID = 31_337;
const WAIT_MS = 120_000;
/** Control, format, surrogate and private characters, and line separators. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
const NAME_CODE_POINTS_MAX = 128;
const SYMBOL_CODE_POINTS_MAX = 32;

const tokenSchema = z.object({
  token: addressSchema,
  name: z.string(),
  symbol: z.string(),
  decimals: z.number().nullable(),
  creator: addressSchema,
  creator_source: z.string(),
});
type TokenRow = z.infer<typeof tokenSchema>;

describe('contracts of every sort, on anvil', () => {
  let anvil: Service;
  let stack: PipelineStack;
  let devnet: Devnet;
  let roles: TestProcess[] = [];
  /** Tokens created before the first watched block. */
  let older: DevnetToken;
  const zoo = new Map<TokenKind, DevnetToken>();

  const headNumber = async (): Promise<number> =>
    Number(await devnet.publicClient.getBlockNumber({ cacheTime: 0 }));
  const settled = async (): Promise<void> =>
    stack.untilScored(CHAIN_ID, await headNumber(), WAIT_MS);
  const tokenRows = (): Promise<TokenRow[]> =>
    stack.clickhouse.query(
      'SELECT token, name, symbol, decimals, creator, creator_source FROM tokens',
      {},
      tokenSchema,
    );
  const rowOf = async (token: string): Promise<TokenRow | undefined> =>
    (await tokenRows()).find((row) => row.token === token);
  const of = (kind: TokenKind): DevnetToken => {
    const token = zoo.get(kind);
    assert.ok(token, kind);
    return token;
  };
  const countOf = async (table: string, column: string, address: string): Promise<number> => {
    const rows = await stack.clickhouse.query(
      `SELECT count() AS rows FROM ${table} WHERE ${column} = {address:String}`,
      { address },
      z.object({ rows: z.number() }),
    );
    return rows[0]?.rows ?? 0;
  };

  before(async () => {
    anvil = await startAnvil();
    stack = await startPipelineStack();
    devnet = await createDevnet({ url: anvil.url });
    await devnet.deployUniswap();
    older = await devnet.deployToken('honest', { name: 'Older Than The Index' });
    await devnet.addLiquidity(older, 10);
    await devnet.transfer(older.address, older.creator, devnet.address(5), 1_000n);
    await devnet.mine(3);
    const environment = {
      RPC_URL: anvil.url,
      CHAIN_ID: String(CHAIN_ID),
      START_BLOCK: String((await headNumber()) + 1),
      ...DEVNET_PRICING,
    };
    roles = [stack.start('watcher', environment), stack.start('scorer', environment)];
    await devnet.mine(1);
  });
  after(async () => {
    await stack?.stop();
    await anvil?.stop();
  });

  it('are taken in, whatever they answer, and ingestion goes on', async () => {
    const kinds: TokenKind[] = [
      'hugeName',
      'controlName',
      'revertingName',
      'bytes32Name',
      'noToken',
      'fakeTransfer',
      'fakeErc721',
      'factoryCreate',
      'factoryCreate2',
      'factoryConstructor',
    ];
    for (const kind of kinds) zoo.set(kind, await devnet.deployToken(kind, { creator: 3 }));
    const fake = of('fakeTransfer');
    await devnet.emitTransfer(fake, devnet.address(1), devnet.address(2), 7n);
    await devnet.transfer(of('revertingName').address, 3, devnet.address(4), 5n);
    const honest = await devnet.deployToken('honest', { creator: 4 });
    zoo.set('honest', honest);
    await settled();
    for (const role of roles) assert.ok(!role.hasEnded(), `${role.name} runs: ${role.output()}`);
    assert.equal((await rowOf(honest.address))?.name, honest.name);
    assert.equal(await countOf('transfers', 'token', fake.address), 1);
  });

  it('have names that are safe to show and bounded', async () => {
    const rows = await tokenRows();
    assert.ok(rows.length > 0);
    for (const { name, symbol } of rows) {
      assert.doesNotMatch(name, UNSAFE);
      assert.doesNotMatch(symbol, UNSAFE);
      assert.ok(Array.from(name).length <= NAME_CODE_POINTS_MAX);
      assert.ok(Array.from(symbol).length <= SYMBOL_CODE_POINTS_MAX);
    }
    const control = await rowOf(of('controlName').address);
    assert.equal(control?.name, 'Evil [31m gnp.exe <img src=x onerror=alert(1)>\u0336\u0336\u0336');
    assert.equal(control?.symbol, `US D\u0421 "'><script>`);
  });

  for (const [what, kind, ...expected] of [
    ['are tokens without a name when it is a megabyte', 'hugeName', '', 'HUGENAME', 18],
    ['are tokens without a name when it reverts', 'revertingName', '', '', 18],
    ['may name themselves in 32 bytes', 'bytes32Name', 'Zoo bytes32Name', 'BYTES32NAME', 18],
  ] as const) {
    it(what, async () => {
      const row = await rowOf(of(kind).address);
      assert.deepEqual([row?.name, row?.symbol, row?.decimals], expected);
    });
  }

  it('are no tokens when they only send a Transfer, or none', async () => {
    for (const kind of ['noToken', 'fakeTransfer', 'fakeErc721'] as const) {
      assert.equal(await rowOf(of(kind).address), undefined, kind);
    }
  });

  it('are found when a factory makes them', async () => {
    for (const kind of ['factoryCreate', 'factoryCreate2', 'factoryConstructor'] as const) {
      const row = await rowOf(of(kind).address);
      assert.equal(row?.name, of(kind).name, kind);
      assert.equal(row?.creator, devnet.address(3), kind);
    }
  });

  /** Requests an analysis in the way of the API, and waits for its end. */
  const analyze = async (token: string): Promise<JobRecord> => {
    const jobId = `job_${ulid()}`;
    const now = Date.now();
    const asked = { jobId, chainId: CHAIN_ID, token: addressSchema.parse(token) };
    const record: JobRecord = { ...asked, family: 'test', status: 'analyzing', createdAtMs: now };
    await stack.redis.set(jobKey(jobId), JSON.stringify(record));
    const job: AnalyzeJob = { ...asked, v: 1, deadlineMs: now + JOB_DEADLINE_MS };
    await stack.nats.jetstream().publish(analyzeSubject(CHAIN_ID), JSON.stringify(job));
    return until(
      `job for ${token}`,
      async () => {
        const text = await stack.redis.get(jobKey(jobId));
        const found = jobRecordSchema.parse(JSON.parse(text ?? 'null'));
        return found.status === 'analyzing' ? undefined : found;
      },
      WAIT_MS,
      roles,
    );
  };

  /** What was last told to who asks here, once it is about this token. */
  const toldLast = async (token: string): Promise<AnalysisMessage | undefined> => {
    const { streams } = await stack.nats.jetstreamManager();
    const query = { last_by_subj: analysisSubject('test') };
    const told = analysisMessageSchema.parse(
      (await streams.getMessage(EVENTS_STREAM, query)).json(),
    );
    return told.job.token === token ? told : undefined;
  };

  it('are refused by an analysis where there is no code, or the code is no token', async () => {
    for (const [token, reason] of [
      [`0x${'12'.repeat(20)}`, 'not_a_contract'],
      [of('noToken').address, 'not_a_token'],
    ] as const) {
      const { status, error } = await analyze(token);
      assert.deepEqual([status, error], ['failed', reason]);
    }
  });

  it('are analysed from their history when they are older than the index', async () => {
    assert.equal(await rowOf(older.address), undefined);
    const { status, error } = await analyze(older.address);
    assert.deepEqual([status, error], ['completed', undefined]);
    const row = await rowOf(older.address);
    assert.equal(row?.name, 'Older Than The Index');
    const told = await until(
      'event of the analysis',
      () => toldLast(older.address),
      WAIT_MS,
      roles,
    );
    assert.deepEqual(told.called, { name: row.name, symbol: row.symbol });
    assert.equal(row?.creator, devnet.address(older.creator));
    // The mint of the supply, the pool's share of it, and one transfer.
    assert.equal(await countOf('transfers', 'token', older.address), 3);
    const verdicts = await stack.clickhouse.query(
      `SELECT liquidity_usd, JSONExtractInt(doc, 'features', 'transaction_count') AS transactions
        FROM verdicts WHERE token = {token:String}`,
      { token: older.address },
      z.object({ liquidity_usd: z.number(), transactions: z.number() }),
    );
    // Ten ether on each side.
    assert.deepEqual(verdicts, [{ liquidity_usd: 40_000, transactions: 3 }]);
  });

  it('stop nothing: the next token is found', async () => {
    const next = await devnet.deployToken('honest', { creator: 2, name: 'The Next One' });
    await settled();
    assert.equal((await rowOf(next.address))?.name, 'The Next One');
    for (const role of roles) assert.ok(!role.hasEnded(), role.name);
  });
});
