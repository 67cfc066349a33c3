import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JetStreamClient } from 'nats';
import { z } from 'zod';
import { createWatchTable, type Watch } from '../../pipeline/alerts/watch/watchTable.ts';
import { connectNats, ensureStreams } from '../../shared/adapters/nats.ts';
import type { Hex } from '../../shared/chain/block.ts';
import type { BlocksEvent } from '../../shared/chain/chainEvent.ts';
import type { Fact } from '../../shared/chain/fact.ts';
import { encodeChainEvent } from '../../shared/messages/chainMessage.ts';
import { chainSubject } from '../../shared/messages/subjects.ts';
import { type BenchStack, startBenchStack } from './benchStack.ts';
import { childPids, memoryOf, watchOthers } from './childProcesses.ts';
import { summary } from './percentiles.ts';

// How soon an alert can be read: a block a second is published as the watcher publishes it, with so many
// transfers, a tenth as many trades, and one change of ownership of a watched token; from just before the
// publication to the alert in SQL. What lies before that, from the node to the stream, is in
// headLatency.bench.ts. Beside it the index of watched addresses alone.

/** `BENCH_WATCHES=1000000`: the size the service is made for. */
const WATCHES = Number(process.env['BENCH_WATCHES'] ?? 200_000);
const BLOCKS = Number(process.env['BENCH_ALERT_BLOCKS'] ?? 40);
/** Transfers a second: mainnet, and fifty times that. */
const RATES = [300, 15_000] as const;
const TRANSFERS_PER_TRADE = 10;
const WARM_UP_BLOCKS = 5;
const POOLS = 2_000;
const FAMILIES = 10_000;
const LOOKUPS = 2_000_000;
const BLOCK_MS = 1_000;
const FACTS_PER_MESSAGE = 2_000;
const POLL_MS = 2;
const TIMEOUT_MS = 60_000;
const CHAIN_ID = 31_337;
const START_S = 1_700_000_000;

const hex = (bytes: number): Hex => `0x${randomBytes(bytes).toString('hex')}`;
const numbered = (n: number, bytes: number): Hex => `0x${n.toString(16).padStart(bytes * 2, '0')}`;
const WETH = numbered(0xbee, 20);
const TOKEN = hex(20);

const benchIndex = (): void => {
  const table = createWatchTable(randomBytes(4).readUInt32LE());
  const addresses = Array.from({ length: WATCHES }, () => hex(20));
  const watch: Omit<Watch, 'address' | 'id' | 'family'> = {
    type: 'wallet',
    alerts: ['rug_pull'],
    sensitivity: 'medium',
  };
  const filledMs = performance.now();
  addresses.forEach((address, id) =>
    table.put({ ...watch, address, id, family: `family${id % FAMILIES}` }),
  );
  const fillS = (performance.now() - filledMs) / 1_000;
  const strangers = Array.from({ length: 10_000 }, () => hex(20));
  const rate = (asked: readonly Hex[]): string => {
    const startMs = performance.now();
    let found = 0;
    for (let i = 0; i < LOOKUPS; i += 1)
      found += table.find(asked[i % asked.length] ?? TOKEN).length;
    const perS = LOOKUPS / ((performance.now() - startMs) / 1_000);
    return `${(perS / 1e6).toFixed(2)} million/s (${found} found)`;
  };
  console.log(`\n${WATCHES} watched addresses in one index`);
  console.log(`  bytes an item         ${(table.bytes() / table.size()).toFixed(1)}`);
  console.log(`  items put a second    ${Math.round(WATCHES / fillS)}`);
  console.log(`  lookups, all watched  ${rate(addresses)}`);
  console.log(`  lookups, none watched ${rate(strangers)}`);
};

const saveWatches = async ({ clickhouse }: BenchStack): Promise<void> => {
  await clickhouse.exec(
    `INSERT INTO watchlist (family, id, type, address, alerts, sensitivity, created_at, version)
     SELECT concat('family', toString(number % ${FAMILIES})), number + 2, 'wallet',
       reinterpretAsFixedString(rand64(1)) || reinterpretAsFixedString(rand64(2)) || substring(reinterpretAsFixedString(rand64(3)), 1, 4),
       ['rug_pull', 'new_token', 'large_sell'], 'medium', now64(3), 1 FROM numbers(${WATCHES})`,
  );
  await clickhouse.exec(
    `INSERT INTO watchlist (family, id, type, address, alerts, sensitivity, created_at, version)
     SELECT 'probe', 1, 'token', unhex({token:String}), ['ownership_change'], 'high', now64(3), 1`,
    { token: TOKEN.slice(2) },
  );
  const settings = JSON.stringify({ dedupe_window_seconds: 0 });
  await clickhouse.insert('alert_settings', [{ family: 'probe', settings, version: 1 }]);
};

const pool = (n: number): Hex => numbered(0x1000_0000 + n, 20);
const place = (n: number) => ({ txHash: numbered(n, 32), txIndex: 0, logIndex: n });

const opening = (): Fact[] =>
  Array.from({ length: POOLS }, (_, n): Fact[] => [
    {
      kind: 'pairCreated',
      factory: numbered(1, 20),
      pool: pool(n),
      token0: numbered(0x2000_0000 + n, 20),
      token1: WETH,
      ...place(2 * n),
    },
    {
      kind: 'sync',
      pool: pool(n),
      reserve0: '0xde0b6b3a7640000',
      reserve1: '0xde0b6b3a7640000',
      ...place(2 * n + 1),
    },
  ]).flat();

const factsOf = (transfers: number, height: number): Fact[] => {
  const facts: Fact[] = [];
  for (let i = 0; i < transfers; i += 1) {
    const at = place(facts.length);
    const token = numbered(0x2000_0000 + (i % POOLS), 20);
    facts.push({ kind: 'transfer', token, from: hex(20), to: hex(20), value: '0x1', ...at });
    if (i % TRANSFERS_PER_TRADE !== 0) continue;
    const reserves = { reserve0: '0xde0b6b3a7640000', reserve1: numbered(10 ** 9 + i, 8) } as const;
    facts.push({
      kind: 'sync',
      pool: pool((i + height) % POOLS),
      ...reserves,
      ...place(facts.length),
    });
  }
  const owners = { previousOwner: hex(20), newOwner: hex(20) };
  facts.push({
    kind: 'ownershipTransferred',
    contract: TOKEN,
    ...owners,
    ...place(facts.length),
  });
  return facts;
};

/** Publishes a block in as many messages as it needs. */
const publish = async (
  js: JetStreamClient,
  number: number,
  facts: readonly Fact[],
): Promise<void> => {
  const [hash, timestampS] = [numbered(number, 32), START_S + number];
  const chunks = Math.max(1, Math.ceil(facts.length / FACTS_PER_MESSAGE));
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    const some = facts.slice(chunk * FACTS_PER_MESSAGE, (chunk + 1) * FACTS_PER_MESSAGE);
    const event: BlocksEvent = {
      kind: 'blocks',
      chainId: CHAIN_ID,
      epoch: 0,
      from: number,
      to: { number, hash, parentHash: numbered(number - 1, 32), timestampS },
      blocks: [{ number, hash, timestampS, facts: some }],
      chunk,
      last: chunk === chunks - 1,
      head: number,
      readAtMs: 0,
    };
    await js.publish(chainSubject(CHAIN_ID), encodeChainEvent(event));
  }
};

const countSchema = z.object({ found: z.number() });
const untilReadable = async ({ clickhouse }: BenchStack, number: number): Promise<void> => {
  const deadline = performance.now() + TIMEOUT_MS;
  const sql = `SELECT count() AS found FROM alerts WHERE family = 'probe' AND block_number = {number:UInt64}`;
  for (;;) {
    const [row] = await clickhouse.query(sql, { number }, countSchema);
    if (row?.found) return;
    if (performance.now() > deadline) throw new Error(`no alert of block ${number} in time`);
    await sleep(POLL_MS);
  }
};

const measure = async (
  stack: BenchStack,
  js: JetStreamClient,
  rate: number,
  firstBlock: number,
): Promise<number[]> => {
  const latenciesMs: number[] = [];
  for (let i = 0; i < WARM_UP_BLOCKS + BLOCKS; i += 1) {
    const facts = factsOf(rate, i);
    const startMs = performance.now();
    await publish(js, firstBlock + i, facts);
    await untilReadable(stack, firstBlock + i);
    const tookMs = performance.now() - startMs;
    if (i >= WARM_UP_BLOCKS) latenciesMs.push(tookMs);
    await sleep(Math.max(0, BLOCK_MS - tookMs));
  }
  return latenciesMs;
};

benchIndex();
const stack = await startBenchStack();
try {
  const connection = await connectNats(stack.environment['NATS_URL'] ?? '', 'bench');
  await ensureStreams(connection, [CHAIN_ID]);
  await saveWatches(stack);
  const loadedMs = performance.now();
  const role = await stack.role(
    'alerts',
    {
      CHAIN_ID: String(CHAIN_ID),
      WETH_ADDRESS: WETH,
      STABLE_ADDRESSES: '',
      NATIVE_PRICE_USD: '2000',
    },
    true,
  );
  const readyS = (performance.now() - loadedMs) / 1_000;
  console.log(`\nalerts role with ${WATCHES} watched addresses`);
  console.log(`  ready after           ${readyS.toFixed(1)} s, ${memoryOf(role.pid).rssMib} MiB`);
  const js = connection.jetstream();
  await publish(js, 1, opening());
  const others = watchOthers(childPids());
  console.log(
    `milliseconds from the publication of a block to its alert in SQL, ${BLOCKS} blocks, p50 / p95 / p99 / max`,
  );
  for (const [i, rate] of RATES.entries()) {
    const latencies = await measure(stack, js, rate, 10 + i * 100_000);
    console.log(`  ${String(rate).padStart(6)} transfers/s    ${summary(latencies)}`);
  }
  console.log(`  memory at the highest ${memoryOf(role.pid).peakMib} MiB`);
  console.log(`  others took ${(100 * others()).toFixed(0)} % of the processors`);
  await connection.close();
} finally {
  await stack.stop();
}
