import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { Fact } from '../../../shared/chain/fact.ts';
import { followOwnership } from '../contract/contractStore.ts';
import { followTouches } from '../features/touchStore.ts';
import { followTransfers } from '../features/transferStore.ts';
import { marketRows } from '../pool/poolStore.ts';
import type { CacheUpdate, ReadCache, Rows } from '../readCache.ts';
import type { FactStore } from './factStore.ts';

const rowsOf = (fact: Fact): Rows[] => {
  if (fact.kind === 'transfer') return [`transfers ${fact.token}`];
  if (fact.kind === 'nativeTransfer') return [`funds ${fact.to}`];
  if (fact.kind === 'failedSale') return [`failures ${fact.token}`];
  if (fact.kind === 'ownershipTransferred') return [`ownership ${fact.contract}`];
  if (fact.kind === 'lock') return [`locks ${fact.asset}`];
  if (fact.kind === 'poolCreated') return marketRows(fact);
  return 'pool' in fact ? [`events ${fact.pool}`] : [];
};

const updatesOf = (block: BlockFacts): CacheUpdate[] => [
  ...followTouches(block),
  ...followTransfers(block),
  ...followOwnership(block),
];

/** The same store; its inserts are reported to `cache`. Tombstones are left to the caller. */
export const noteChanges = (facts: FactStore, cache: ReadCache): FactStore => ({
  ...facts,
  insert: async (events) => {
    await cache.write(() => facts.insert(events));
    for (const { from, to, last, chunk, blocks } of events) {
      const rows = new Set(blocks.flatMap((block) => block.facts.flatMap(rowsOf)));
      // Near the head, where tokens are scored block by block, a block is an event of its own.
      const [block] = from === to.number && last && chunk === 0 ? blocks : [];
      cache.changed(rows, to.number, block ? updatesOf(block) : []);
    }
  },
});
