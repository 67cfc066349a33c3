import { randomBytes } from 'node:crypto';
import { createWatchTable, type Watch } from '../../pipeline/alerts/watch/watchTable.ts';
import type { Hex } from '../../shared/chain/block.ts';
import { WATCHES } from './watchedAddresses.ts';

// The index of watched addresses alone: bytes of an item, and how fast it is filled and asked.

const FAMILIES = 10_000;
const LOOKUPS = 2_000_000;
const STRANGERS = 10_000;

const address = (): Hex => `0x${randomBytes(20).toString('hex')}`;

const table = createWatchTable(randomBytes(4).readUInt32LE());
const addresses = Array.from({ length: WATCHES }, address);
const watch: Omit<Watch, 'address' | 'id' | 'family'> = {
  type: 'wallet',
  alerts: ['rug_pull'],
  sensitivity: 'medium',
};
const startMs = performance.now();
for (const [id, one] of addresses.entries()) {
  table.put({ ...watch, address: one, id, family: `family${id % FAMILIES}` });
}
const fillS = (performance.now() - startMs) / 1_000;

const rate = (asked: readonly Hex[]): string => {
  const beginMs = performance.now();
  let found = 0;
  for (let i = 0; i < LOOKUPS; i += 1) found += table.find(asked[i % asked.length] ?? '0x').length;
  const perS = LOOKUPS / ((performance.now() - beginMs) / 1_000);
  return `${(perS / 1e6).toFixed(2)} million/s (${found} found)`;
};
console.log(`\n${WATCHES} watched addresses in one index`);
console.log(`  bytes an item         ${(table.bytes() / table.size()).toFixed(1)}`);
console.log(`  items put a second    ${Math.round(WATCHES / fillS)}`);
console.log(`  lookups, all watched  ${rate(addresses)}`);
console.log(`  lookups, none watched ${rate(Array.from({ length: STRANGERS }, address))}`);
