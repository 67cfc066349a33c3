import { z } from 'zod';
import { createChainIndex } from '../../../pipeline/clusters/chainIndex.ts';
import { contractsIn, creationsIn } from '../../../pipeline/clusters/facts/creations.ts';
import { NATIVE_DUST } from '../../../pipeline/clusters/facts/graphOfBlock.ts';
import { createRingDetector } from '../../../pipeline/clusters/graph/createRingDetector.ts';
import { RingMemory } from '../../../pipeline/clusters/memory/ringMemory.ts';
import type { Hex } from '../../chain/block.ts';
import type { BlockFacts } from '../../chain/chainEvent.ts';
import type { Clickhouse } from '../../platform/clickhouse.ts';

/** The native and the stable token of a chain. */
export interface RingBases {
  readonly weth: Hex;
  readonly stable: Hex;
}

const ringLine = (members: readonly string[], tokens: number, scams: number): string =>
  `${members.toSorted().join(' ')}: ${scams} scams of ${tokens} tokens`;

/**
 * One line a ring that a detector finds which has never died nor seen a reorg: it reads the canonical
 * chain, block by block, and then hears the stored verdicts. Creations are those of the stored tokens.
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

const ringsSql = `SELECT m.cluster_id AS id, groupArray(concat('0x', lower(hex(m.wallet)),
    if(m.role = 'master', ' (master)', ''))) AS wallets,
    any(c.tokens_created) AS tokens, any(c.scams) AS scams, any(c.size) AS size
  FROM cluster_members AS m FINAL
  LEFT JOIN (SELECT * FROM clusters FINAL) AS c ON c.cluster_id = m.cluster_id
  GROUP BY m.cluster_id`;
const ringSchema = z.object({
  wallets: z.array(z.string()),
  tokens: z.coerce.number(),
  scams: z.coerce.number(),
  size: z.coerce.number(),
});

/** One line a stored ring, as `ringLines` writes it. @throws where a ring's size is not that of its members. */
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
