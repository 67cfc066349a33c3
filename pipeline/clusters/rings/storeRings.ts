import type { Hex } from '../../../shared/chain/block.ts';
import {
  CLUSTER_MESSAGE_WALLETS_MAX,
  type ClusterMessage,
} from '../../../shared/messages/clusterMessage.ts';
import { slicesOf } from '../../../shared/platform/slicesOf.ts';
import { type FlushMoment, type FlushPorts, WALLETS_PER_STEP_MAX } from '../flushPorts.ts';
import type { Ring } from '../graph/ring.ts';
import type { Dirty } from '../memory/ringMemory.ts';
import { type RingWrite, ringChange, ringEnd, type StoredRing } from './ringChange.ts';
import { ringRow } from './ringRow.ts';

/** Rings read and written together. */
const RINGS_PER_STEP_MAX = 50;

const ringContext = async (ports: FlushPorts, rings: readonly Ring[], { block }: FlushMoment) => {
  const members = rings.flatMap((ring) => ring.members.map(({ wallet }) => wallet));
  const tokens = rings.flatMap((ring) => ring.tokens.map(({ token }) => token));
  const [lost, ...times] = await Promise.all([
    ports.losses.read(tokens),
    ...slicesOf(members, WALLETS_PER_STEP_MAX).map((some) => ports.reader.activity(some)),
  ]);
  const activity = new Map(times.flatMap((some) => [...some]));
  return { losses: lost, activity, nowS: block.timestampS };
};

const publish = async (
  ports: FlushPorts,
  { id, row, event }: RingWrite,
  ring: Ring | undefined,
  stored: StoredRing | undefined,
  { block, trigger, version }: FlushMoment,
): Promise<void> => {
  if (!event) return;
  const latest = ring?.evidence.toSorted((a, b) => b.block - a.block)[0];
  const isOfBlock = trigger === 'block' && latest?.block === block.number;
  const message: ClusterMessage = {
    v: 1,
    chainId: ports.chainId,
    clusterId: id,
    name: row?.name ?? stored?.name ?? '',
    change: event.change,
    otherClusterId: event.otherClusterId,
    size: ring?.members.length ?? 0,
    riskScore: row?.riskScore ?? stored?.riskScore ?? 0,
    joined: event.joined.slice(0, CLUSTER_MESSAGE_WALLETS_MAX),
    joinedCount: event.joined.length,
    left: event.left.slice(0, CLUSTER_MESSAGE_WALLETS_MAX),
    leftCount: event.left.length,
    trigger: { kind: trigger, txHash: (isOfBlock ? latest.tx : null) ?? null, logIndex: 0 },
    blockNumber: block.number,
    blockHash: block.hash,
    timestampS: block.timestampS,
  };
  await ports.publish(message, `cluster:${ports.chainId}:${id}:${version}:${event.change}`);
};

const storeSomeRings = async (
  ports: FlushPorts,
  ids: readonly string[],
  { ended }: Dirty,
  moment: FlushMoment,
): Promise<Hex[]> => {
  const stored = await ports.rings.read(ids);
  const rings = ids.flatMap((id) => ports.detector.ring(id) ?? []);
  const context = await ringContext(ports, rings, moment);
  const changes: { write: RingWrite; ring: Ring | undefined }[] = [];
  for (const ring of rings) {
    const known = stored.get(ring.id);
    const joinedAtS = new Map(known?.members.map((one) => [one.wallet, one.joinedAtS]));
    const isNew = !known || known.members.length === 0;
    const wallets = ring.members.map(({ wallet }) => wallet);
    const from = isNew ? await ports.rings.formerRing(wallets, ring.id) : null;
    const row = ringRow(ring, { ...context, joinedAtS });
    changes.push({ ring, write: ringChange(known, row, from) });
  }
  for (const id of ids.filter((each) => !ports.detector.ring(each))) {
    const write = ringEnd(id, stored.get(id), ended.get(id) ?? null);
    changes.push({ ring: undefined, write });
  }
  // Published before the rows are written: after a crash in between the rows still differ, and the next attempt
  // publishes again.
  for (const { write, ring } of changes)
    await publish(ports, write, ring, stored.get(write.id), moment);
  await ports.rings.write(
    changes.flatMap(({ write }) => write.row ?? []),
    moment.version,
  );
  return changes
    .filter(({ write }) => !moment.isStart || write.row !== null)
    .flatMap(({ write, ring }) => [
      ...(ring?.members ?? []).map(({ wallet }) => wallet),
      ...(write.event?.left ?? []),
    ]);
};

/** Stores and publishes the rings that changed or ended; returns their wallets, former ones too. */
export const storeRings = async (
  ports: FlushPorts,
  dirty: Dirty,
  moment: FlushMoment,
): Promise<Set<Hex>> => {
  const ids = [...dirty.rings, ...dirty.ended.keys()];
  const touched = new Set<Hex>();
  for (const some of slicesOf(ids, RINGS_PER_STEP_MAX)) {
    for (const wallet of await storeSomeRings(ports, some, dirty, moment)) touched.add(wallet);
  }
  return touched;
};
