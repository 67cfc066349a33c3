import { z } from 'zod';
import { addressParam, inAddresses } from '../../shared/chain/address.ts';
import type { Hex } from '../../shared/chain/block.ts';
import type { ClusterMessage } from '../../shared/messages/clusterMessage.ts';
import { addressSchema } from '../../shared/messages/schemas.ts';
import type { Clickhouse } from '../../shared/platform/clickhouse.ts';
import { groupBy } from '../../shared/platform/groupBy.ts';
import { hexText } from '../../shared/rules/hexText.ts';
import type { RingMember, RingOfWallet } from './rules/clusterActivity.ts';

/** Reads of the rings that the clusters role stores. */
export interface RingReader {
  /** Wallets of a ring, including those that just left, with the tokens they created. */
  members(change: Pick<ClusterMessage, 'clusterId' | 'joined' | 'left'>): Promise<RingMember[]>;
  /** The rings of those wallets that are in one, with the other wallets of each. */
  rings(wallets: readonly Hex[]): Promise<RingOfWallet[]>;
}

/** Wallets of a ring that get its alerts, and their tokens. */
const MEMBERS_MAX = 10_000;
const TOKENS_MAX = 10_000;
/** Wallets whose rings are requested together. */
const WALLETS_MAX = 500;

const membersSql = `SELECT r.cluster_id AS ring, ${hexText('wallet')} AS member
  FROM clusters AS r FINAL ARRAY JOIN r.members.wallet AS wallet
  WHERE r.chain_id = {chainId:UInt64} AND r.cluster_id IN {rings:Array(String)}
  ORDER BY r.cluster_id, wallet LIMIT ${MEMBERS_MAX} BY r.cluster_id`;
const memberRow = z.object({ ring: z.string(), member: addressSchema });

const tokensSql = `SELECT ${hexText('t.node')} AS maker, ${hexText('t.other')} AS made
  FROM graph_neighbours AS t FINAL
  WHERE t.chain_id = {chainId:UInt64} AND t.node IN ${inAddresses('wallets')} AND t.source = 'token' AND t.direction = 'out'
  ORDER BY t.node, t.other LIMIT ${TOKENS_MAX}`;
const tokenRow = z.object({ maker: addressSchema, made: addressSchema });

const ringsSql = `SELECT ${hexText('w.wallet')} AS member, w.cluster_id AS ring
  FROM dim_wallets AS w FINAL
  WHERE w.chain_id = {chainId:UInt64} AND w.cluster_id != '' AND w.wallet IN ${inAddresses('wallets')}`;

/** The rings of one chain in ClickHouse. */
export const createRingReader = (clickhouse: Clickhouse, chainId: number): RingReader => {
  const membersOf = (rings: readonly string[]) =>
    clickhouse.query(membersSql, { chainId, rings }, memberRow);
  return {
    members: async ({ clusterId, joined, left }) => {
      const stored = await membersOf([clusterId]);
      const wallets = [...new Set([...stored.map(({ member }) => member), ...joined, ...left])];
      const params = { chainId, wallets: wallets.map(addressParam) };
      const tokens = await clickhouse.query(tokensSql, params, tokenRow);
      const madeBy = groupBy(
        tokens,
        ({ maker }) => maker,
        ({ made }) => made,
      );
      return wallets.map((wallet) => ({ wallet, tokens: madeBy.get(wallet) ?? [] }));
    },
    rings: async (wallets) => {
      const asked = wallets.slice(0, WALLETS_MAX);
      if (asked.length === 0) return [];
      const params = { chainId, wallets: asked.map(addressParam) };
      const own = await clickhouse.query(ringsSql, params, memberRow);
      if (own.length === 0) return [];
      const all = await membersOf([...new Set(own.map(({ ring }) => ring))]);
      const inRing = groupBy(
        all,
        ({ ring }) => ring,
        ({ member }) => member,
      );
      return own.map(({ ring, member: wallet }) => ({
        clusterId: ring,
        wallet,
        mates: (inRing.get(ring) ?? []).filter((mate) => mate !== wallet),
      }));
    },
  };
};
