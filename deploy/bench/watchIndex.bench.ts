import { randomBytes } from 'node:crypto';
import { createWatchIndex, type Watch } from '../../pipeline/alerts/watch/watchIndex.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { createWatchlistStore } from '../../shared/families/watchlistStore.ts';
import { connectRedis } from '../../shared/platform/redis.ts';
import { startRedis } from '../../shared/testing/services.ts';
import { saveWatchedAddresses, WATCHES } from './watchedAddresses.ts';

// The index of watched addresses alone: bytes of an item, and how fast it is filled and asked. Then watchlists in Redis: bytes
// of an item, and how long the alerts role takes to fill its index from there.

const FAMILIES = 10_000;
const LOOKUPS = 2_000_000;
const STRANGERS = 10_000;
const PAGE = 1_000;

const address = (): Hex => `0x${randomBytes(20).toString('hex')}`;

const addresses = Array.from({ length: WATCHES }, address);
const watch: Omit<Watch, 'address' | 'id' | 'family'> = {
  type: 'wallet',
  alerts: ['rug_pull'],
  sensitivity: 'medium',
};
const pages = async function* () {
  for (let id = 0; id < WATCHES; id += PAGE) {
    yield addresses.slice(id, id + PAGE).map(
      (one, i): Watch => ({
        ...watch,
        address: one,
        id: Number.MAX_SAFE_INTEGER - id - i,
        family: `family${(id + i) % FAMILIES}`,
      }),
    );
  }
};
const heapBytes = (): number => {
  gc?.();
  return process.memoryUsage().heapUsed;
};
const table = createWatchIndex();
const beforeBytes = heapBytes();
const startMs = performance.now();
await table.load(pages());
const fillS = (performance.now() - startMs) / 1_000;
const itemBytes = (heapBytes() - beforeBytes) / WATCHES;

const rate = (asked: readonly Hex[]): string => {
  const beginMs = performance.now();
  let found = 0;
  for (let i = 0; i < LOOKUPS; i += 1) found += table.find(asked[i % asked.length] ?? '0x').length;
  const perS = LOOKUPS / ((performance.now() - beginMs) / 1_000);
  return `${(perS / 1e6).toFixed(2)} million/s (${found} found)`;
};
console.log(`\n${WATCHES} watched addresses in one index`);
console.log(`  bytes an item         ${itemBytes.toFixed(0)} (exact with --expose-gc)`);
console.log(`  items put a second    ${Math.round(WATCHES / fillS)}`);
console.log(`  lookups, all watched  ${rate(addresses)}`);
console.log(`  lookups, none watched ${rate(Array.from({ length: STRANGERS }, address))}`);

const server = await startRedis();
try {
  const redis = connectRedis(server.url);
  await redis.connect();
  const usedBytes = async (): Promise<number> =>
    Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  const emptyBytes = await usedBytes();
  const saveMs = performance.now();
  await saveWatchedAddresses(redis, WATCHES);
  const savedS = (performance.now() - saveMs) / 1_000;
  const storedBytes = ((await usedBytes()) - emptyBytes) / WATCHES;
  const index = createWatchIndex();
  const loadMs = performance.now();
  await index.load(createWatchlistStore(redis).pages());
  const loadedS = (performance.now() - loadMs) / 1_000;
  redis.disconnect();
  console.log(`\nwatchlists in Redis, ${index.counts().items} items`);
  console.log(`  bytes an item         ${storedBytes.toFixed(0)}`);
  console.log(`  items added a second  ${Math.round(WATCHES / savedS)}`);
  console.log(`  index filled from it  ${loadedS.toFixed(1)} s`);
} finally {
  await server.stop();
}
