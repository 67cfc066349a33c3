import type { BlockFacts } from '../../../shared/chain/chainEvent.ts';
import type { Fact, Sides } from '../../../shared/chain/fact.ts';
import { followOwnership } from '../contract/contractStore.ts';
import { followTouches } from '../features/touchStore.ts';
import { followTransfers } from '../features/transferStore.ts';
import type { PoolStore } from '../pool/poolStore.ts';
import type { Recall, Revision, Rows } from '../recall.ts';
import type { TokenStore } from '../token/tokenStore.ts';
import type { FactStore } from './factStore.ts';

/** Where what the chain shows is kept. */
interface ChainStores {
  readonly facts: FactStore;
  readonly tokens: TokenStore;
  readonly pools: PoolStore;
}

const marketsOf = ({ token0, token1 }: Sides): Rows[] => [`markets ${token0}`, `markets ${token1}`];

const rowsOf = (fact: Fact): Rows[] => {
  if (fact.kind === 'transfer') return [`transfers ${fact.token}`];
  if (fact.kind === 'nativeTransfer') return [`funds ${fact.to}`];
  if (fact.kind === 'ownershipTransferred') return [`ownership ${fact.contract}`];
  if (fact.kind === 'lock') return [`locks ${fact.asset}`];
  if (fact.kind === 'poolCreated') return marketsOf(fact);
  return 'pool' in fact ? [`events ${fact.pool}`] : [];
};

const revisionsOf = (block: BlockFacts): Revision[] => [
  ...followTouches(block),
  ...followTransfers(block),
  ...followOwnership(block),
];

/** The same stores; their inserts are reported to `recall`. Tombstones are left to the caller. */
export const noteChanges = <S extends ChainStores>(stores: S, recall: Recall): S => {
  const { facts, tokens, pools } = stores;
  return {
    ...stores,
    facts: {
      ...facts,
      insert: async (events) => {
        await recall.write(() => facts.insert(events));
        for (const { from, to, last, chunk, blocks } of events) {
          const rows = new Set(blocks.flatMap((block) => block.facts.flatMap(rowsOf)));
          // Near the head, where tokens are scored block by block, a block is an event of its own.
          const [block] = from === to.number && last && chunk === 0 ? blocks : [];
          recall.changed(rows, to.number, block ? revisionsOf(block) : []);
        }
      },
    },
    tokens: {
      ...tokens,
      insert: async (records, epoch) => {
        await recall.write(() => tokens.insert(records, epoch));
        for (const { token, creator, createdBlock } of records) {
          recall.changed([`token ${token}`, `creator ${creator}`], createdBlock);
        }
      },
    },
    pools: {
      ...pools,
      insert: async (chainId, found, epoch) => {
        await recall.write(() => pools.insert(chainId, found, epoch));
        recall.changed(found.flatMap(marketsOf));
      },
    },
  };
};
