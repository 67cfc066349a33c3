import type { BlockRef, Hex } from '../../shared/chain/block.ts';
import {
  CLUSTER_MESSAGE_WALLETS_MAX,
  type ClusterMessage,
} from '../../shared/messages/clusterMessage.ts';
import { creatorRisk, isKnownScammer } from '../../shared/rules/creatorRecord.ts';
import type { Ring } from './graph/ring.ts';
import type { RingDetector } from './graph/ringDetector.ts';
import type { Dirty } from './memory/dirty.ts';
import { type RingWrite, ringChange, ringEnd, type StoredRing } from './rings/ringChange.ts';
import { ringRow } from './rings/ringRow.ts';
import type { RingStore } from './rings/ringStore.ts';
import type { LossStore } from './wallets/lossStore.ts';
import { tokenLoss } from './wallets/tokenLoss.ts';
import { walletEdges } from './wallets/walletEdges.ts';
import type { Membership, WalletFacts } from './wallets/walletFacts.ts';
import type { WalletReader } from './wallets/walletReader.ts';
import { walletRow } from './wallets/walletRow.ts';
import type { WalletStore, WalletWrite } from './wallets/walletStore.ts';

/** What storing changes needs. */
export interface FlushPorts {
  readonly chainId: number;
  readonly detector: RingDetector;
  readonly clusters: RingStore;
  readonly losses: LossStore;
  readonly reader: WalletReader;
  readonly wallets: WalletStore;
  /** US dollars of one native unit. */
  readonly nativePriceUsd: () => Promise<number>;
  /** Resolves when the message is safe; a message with an id that was sent is not sent twice. */
  readonly publish: (message: ClusterMessage, messageId: string) => Promise<void>;
}

/** The moment as of which something is stored. */
export interface FlushMoment {
  readonly block: BlockRef & { readonly timestampS: number };
  readonly trigger: ClusterMessage['trigger']['kind'];
  /** See `chainPosition`: versions never go back. */
  readonly version: number;
  /** Whether the process just started: then only what differs from the tables is looked at. */
  readonly isStart: boolean;
}

/** Wallets read and written together. */
const WALLETS_PER_STEP_MAX = 200;
/** Rings read and written together. */
const RINGS_PER_STEP_MAX = 50;
/** Tokens of a ring of which losses are looked at together. */
const TOKENS_PER_STEP_MAX = 200;

const chunks = <T>(values: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, i) =>
    values.slice(i * size, (i + 1) * size),
  );

/**
 * Stores what changed: what was lost with tokens, then rings, then wallets. All is made anew from the
 * detector and from what is stored of the chain, so that doing it again, or after a crash in between,
 * ends in the same rows.
 */
export class Flush {
  readonly #ports: FlushPorts;

  constructor(ports: FlushPorts) {
    this.#ports = ports;
  }

  async #storeLosses(tokens: readonly Hex[], moment: FlushMoment): Promise<void> {
    const price = await this.#ports.nativePriceUsd();
    const makers = new Map<Hex, Ring>();
    for (const ring of tokens.length > 0 ? this.#ports.detector.rings() : []) {
      for (const { token } of ring.tokens) makers.set(token, ring);
    }
    for (const some of chunks(tokens, TOKENS_PER_STEP_MAX)) {
      const markets = await this.#ports.losses.markets(some);
      const found = markets.map((market) => {
        const own = new Set(makers.get(market.token)?.members.map(({ wallet }) => wallet));
        return tokenLoss(market, (wallet) => own.has(wallet), price);
      });
      await this.#ports.losses.write(found, moment.version);
    }
  }

  async #storeRings(dirty: Dirty, moment: FlushMoment): Promise<Set<Hex>> {
    const ids = [...dirty.rings, ...dirty.ended.keys()];
    const touched = new Set<Hex>();
    for (const some of chunks(ids, RINGS_PER_STEP_MAX)) {
      for (const wallet of await this.#storeSomeRings(some, dirty, moment)) touched.add(wallet);
    }
    return touched;
  }

  async #storeSomeRings(
    ids: readonly string[],
    { ended }: Dirty,
    moment: FlushMoment,
  ): Promise<Hex[]> {
    const stored = await this.#ports.clusters.read(ids);
    const rings = ids.flatMap((id) => this.#ports.detector.ring(id) ?? []);
    const context = await this.#ringContext(rings, moment);
    const changes: { write: RingWrite; ring: Ring | undefined }[] = [];
    for (const ring of rings) {
      const known = stored.get(ring.id);
      const joinedAtS = new Map(known?.members.map((one) => [one.wallet, one.joinedAtS]));
      const isNew = !known || known.members.length === 0;
      const wallets = ring.members.map(({ wallet }) => wallet);
      const from = isNew ? await this.#ports.clusters.formerRing(wallets, ring.id) : null;
      const row = ringRow(ring, { ...context, joinedAtS });
      changes.push({ ring, write: ringChange(known, row, from) });
    }
    for (const id of ids.filter((each) => !this.#ports.detector.ring(each))) {
      const write = ringEnd(id, stored.get(id), ended.get(id) ?? null);
      changes.push({ ring: undefined, write });
    }
    const writes = changes.map(({ write }) => write);
    await this.#ports.clusters.write(writes, moment.version, async () => {
      for (const { write, ring } of changes)
        await this.#publish(write, ring, stored.get(write.id), moment);
    });
    return changes
      .filter(({ write }) => !moment.isStart || write.row !== null || write.members.length > 0)
      .flatMap(({ write, ring }) => [...(ring?.members ?? []), ...write.members])
      .map(({ wallet }) => wallet);
  }

  async #ringContext(rings: readonly Ring[], { block }: FlushMoment) {
    const members = rings.flatMap((ring) => ring.members.map(({ wallet }) => wallet));
    const tokens = rings.flatMap((ring) => ring.tokens.map(({ token }) => token));
    const [lost, ...times] = await Promise.all([
      this.#ports.losses.read(tokens),
      ...chunks(members, WALLETS_PER_STEP_MAX).map((some) => this.#ports.reader.activity(some)),
    ]);
    const activity = new Map(times.flatMap((some) => [...some]));
    return { losses: lost, activity, nowS: block.timestampS };
  }

  async #publish(
    { id, row, news }: RingWrite,
    ring: Ring | undefined,
    stored: StoredRing | undefined,
    { block, trigger, version }: FlushMoment,
  ): Promise<void> {
    if (!news) return;
    const latest = ring?.evidence.toSorted((a, b) => b.block - a.block)[0];
    const isOfBlock = trigger === 'block' && latest?.block === block.number;
    const message: ClusterMessage = {
      v: 1,
      chainId: this.#ports.chainId,
      clusterId: id,
      name: row?.name ?? stored?.name ?? '',
      change: news.change,
      otherClusterId: news.otherClusterId,
      size: ring?.members.length ?? 0,
      riskScore: row?.riskScore ?? stored?.riskScore ?? 0,
      joined: news.joined.slice(0, CLUSTER_MESSAGE_WALLETS_MAX),
      joinedCount: news.joined.length,
      left: news.left.slice(0, CLUSTER_MESSAGE_WALLETS_MAX),
      leftCount: news.left.length,
      trigger: { kind: trigger, txHash: (isOfBlock ? latest.tx : null) ?? null, logIndex: 0 },
      blockNumber: block.number,
      blockHash: block.hash,
      timestampS: block.timestampS,
    };
    await this.#ports.publish(
      message,
      `cluster:${this.#ports.chainId}:${id}:${version}:${news.change}`,
    );
  }

  async #storeWallets(all: readonly Hex[], moment: FlushMoment): Promise<void> {
    const price = await this.#ports.nativePriceUsd();
    for (const some of chunks(all, WALLETS_PER_STEP_MAX)) {
      const wallets = await this.#readFacts(some, moment);
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
                firstFunder: (other) => this.#ports.detector.firstFunding(other)?.funder,
                ringmates: ringmatesOf(wallet, this.#ports.detector.ringOf(wallet)),
                joinedAtS: ring?.joinedAtS,
              }),
        };
      });
      await this.#ports.wallets.write(writes, moment.version);
    }
  }

  async #readFacts(some: readonly Hex[], { block }: FlushMoment): Promise<WalletFacts[]> {
    const hubs = new Set(some.filter((wallet) => this.#ports.detector.isHub(wallet)));
    const plain = some.filter((wallet) => !hubs.has(wallet));
    const [movements, made] = await Promise.all([
      this.#ports.reader.movements(some),
      this.#ports.reader.made(plain),
    ]);
    const others = new Set([...movements.values()].flat().map(({ other }) => other));
    const traded = new Set(
      [...movements.values()].flat().flatMap(({ kind, other }) => (kind === 'bought' ? other : [])),
    );
    const madeTokens = [...made.values()].flat().map(({ token }) => token);
    const [records, launches, lost, rings] = await Promise.all([
      this.#ports.reader.records([...others]),
      this.#ports.reader.launches([...traded]),
      this.#ports.losses.read([...new Set([...madeTokens, ...traded])]),
      this.#ports.clusters.read(
        some.flatMap((wallet) => this.#ports.detector.ringOf(wallet)?.id ?? []),
      ),
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
      ring: membershipOf(wallet, this.#ports.detector.ringOf(wallet), rings, block),
      creators: new Set(records.keys()),
      scammers: new Set(scammers.map(([address]) => address)),
      launchBlocks: launches,
      drained: new Set(drained.map(({ token }) => token)),
    }));
  }

  /** Stores and publishes what changed; returns the wallets that have a row now. */
  async store(dirty: Dirty, moment: FlushMoment): Promise<Set<Hex>> {
    const ofRings = [...dirty.rings].flatMap((id) => this.#ports.detector.ring(id)?.tokens ?? []);
    const scams = ofRings.filter(({ isScam }) => isScam).map(({ token }) => token);
    const ruined = new Set([...dirty.tokens, ...(moment.isStart ? [] : scams)]);
    await this.#storeLosses([...ruined], moment);
    const [members, buyers] = await Promise.all([
      this.#storeRings(dirty, moment),
      this.#ports.reader.buyers([...dirty.tokens]),
    ]);
    const plain = buyers.filter((wallet) => !this.#ports.detector.isHub(wallet));
    const touched = new Set([...dirty.wallets, ...members, ...plain]);
    await this.#storeWallets([...touched], moment);
    return touched;
  }
}

/** Movements from which on a wallet may have more than were read. */
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
