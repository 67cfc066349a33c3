import type { Hex } from '../../../shared/chain/block.ts';
import { slicesOf } from '../../../shared/platform/slicesOf.ts';
import { creatorRisk, isKnownScammer } from '../../../shared/rules/creatorRecord.ts';
import { type FlushMoment, type FlushPorts, WALLETS_PER_STEP_MAX } from '../flushPorts.ts';
import type { Ring } from '../graph/ring.ts';
import type { StoredRing } from '../rings/ringChange.ts';
import { walletEdges } from './walletEdges.ts';
import type { Membership, WalletFacts } from './walletFacts.ts';
import { walletRow } from './walletRow.ts';
import type { WalletWrite } from './walletStore.ts';

/** If this many movements were read, a wallet may have more. */
const MOVEMENTS_ALL_MAX = 1_000;

const membershipOf = (
  wallet: Hex,
  ring: Ring | undefined,
  stored: ReadonlyMap<string, StoredRing>,
  block: FlushMoment['block'],
): Membership | undefined => {
  const role = ring?.members.find((member) => member.wallet === wallet)?.role;
  if (!ring || !role) return undefined;
  const known = stored.get(ring.id)?.members.find((member) => member.wallet === wallet);
  const { tokensCreated, scams, firstBlock } = ring.statistics;
  const links = ring.evidence.filter(({ from, to }) => from === wallet || to === wallet);
  return {
    id: ring.id,
    role,
    riskScore: creatorRisk({ scored: tokensCreated, scams }),
    joinedAtS: known?.joinedAtS ?? block.timestampS,
    block: links.reduce(
      (first, link) => Math.min(first, link.block),
      links[0]?.block ?? firstBlock,
    ),
  };
};

const ringmatesOf = (wallet: Hex, ring: Ring | undefined) => {
  const master = ring?.members.find(({ role }) => role === 'master')?.wallet;
  if (!ring || !master) return [];
  if (wallet !== master) return [{ wallet: master, isMaster: true }];
  return ring.members
    .filter((member) => member.wallet !== wallet)
    .map((member) => ({ wallet: member.wallet, isMaster: false }));
};

const readFacts = async (
  ports: FlushPorts,
  some: readonly Hex[],
  { block }: FlushMoment,
): Promise<WalletFacts[]> => {
  const hubs = new Set(some.filter((wallet) => ports.detector.isHub(wallet)));
  const plain = some.filter((wallet) => !hubs.has(wallet));
  const [movements, made] = await Promise.all([
    ports.reader.movements(some),
    ports.reader.made(plain),
  ]);
  const others = new Set([...movements.values()].flat().map(({ other }) => other));
  const traded = new Set(
    [...movements.values()].flat().flatMap(({ kind, other }) => (kind === 'bought' ? other : [])),
  );
  const madeTokens = [...made.values()].flat().map(({ token }) => token);
  const [records, launches, lost, rings] = await Promise.all([
    ports.reader.records([...others]),
    ports.reader.launches([...traded]),
    ports.losses.read([...new Set([...madeTokens, ...traded])]),
    ports.rings.read(some.flatMap((wallet) => ports.detector.ringOf(wallet)?.id ?? [])),
  ]);
  const scammers = [...records].filter(([, record]) =>
    isKnownScammer({ tokens: record.made, scams: record.scams }),
  );
  const drained = [...lost.values()].filter(({ drain }) => drain !== null);
  return some.map((wallet) => ({
    wallet,
    isHub: hubs.has(wallet),
    movements: movements.get(wallet) ?? [],
    made: (made.get(wallet) ?? []).map((each) => ({ ...each, loss: lost.get(each.token) })),
    ring: membershipOf(wallet, ports.detector.ringOf(wallet), rings, block),
    creators: new Set(records.keys()),
    scammers: new Set(scammers.map(([address]) => address)),
    launchBlocks: launches,
    drained: new Set(drained.map(({ token }) => token)),
  }));
};

/** Stores the current state of wallets: rows, reputation and edges. */
export const storeWallets = async (
  ports: FlushPorts,
  all: readonly Hex[],
  moment: FlushMoment,
): Promise<void> => {
  const price = await ports.nativePriceUsd();
  for (const some of slicesOf(all, WALLETS_PER_STEP_MAX)) {
    const wallets = await readFacts(ports, some, moment);
    const writes = wallets.map((facts): WalletWrite => {
      const { wallet, movements, ring } = facts;
      return {
        wallet,
        row: walletRow(facts),
        areAllEdges: !facts.isHub && movements.length < MOVEMENTS_ALL_MAX,
        edges: facts.isHub
          ? []
          : walletEdges(wallet, movements, {
              nativePriceUsd: price,
              firstFunder: (other) => ports.detector.funderOf(other),
              ringmates: ringmatesOf(wallet, ports.detector.ringOf(wallet)),
              joinedAtS: ring?.joinedAtS,
            }),
      };
    });
    await ports.wallets.write(writes, moment.version);
  }
};
