import type { ConsumerInfo, JetStreamManager, NatsConnection } from 'nats';
import { decodeChainEvent } from '../../shared/messages/chainMessage.ts';
import {
  BEATING_ROLES,
  type BeatingRole,
  type ChainStatus,
} from '../../shared/messages/heartbeat.ts';
import { CHAIN_READERS, chainStream } from '../../shared/messages/subjects.ts';
import { createHeartbeatReader } from '../../shared/platform/heartbeat.ts';
import { ifThere } from '../../shared/platform/nats.ts';

/** The state of one role. */
export interface RoleState {
  /** Its last heartbeat, Unix milliseconds; undefined if there never was one. */
  readonly beatAtMs: number | undefined;
  /** Unacknowledged chain messages; undefined if there are none, and for roles that read none. */
  readonly waiting:
    | {
        readonly messages: number;
        /** When the first of them was stored, Unix milliseconds. */
        readonly sinceMs: number;
        /** First block of that message; undefined if it holds none. */
        readonly block: number | undefined;
      }
    | undefined;
}

/** The last reports of the roles. */
export interface PipelineState {
  readonly roles: Readonly<Record<BeatingRole, RoleState>>;
  /** The watcher's view of its chain; undefined if its node never answered. */
  readonly chain: ChainStatus | undefined;
}

/** Milliseconds that one request to JetStream may take. */
const ASK_MS_MAX = 2_000;

/** Messages that a reader of the chain has not acknowledged. */
const readWaiting = async (
  jsm: JetStreamManager,
  stream: string,
  role: string,
): Promise<RoleState['waiting']> => {
  const info: ConsumerInfo | undefined = await ifThere(jsm.consumers.info(stream, role));
  const messages = info ? info.num_pending + info.num_ack_pending : 0;
  if (!info || messages === 0) return undefined;
  const seq = info.ack_floor.stream_seq + 1;
  const first = await ifThere(jsm.streams.getMessage(stream, { seq }));
  if (!first) return undefined;
  const event = decodeChainEvent(first.data);
  const block = event.kind === 'blocks' ? event.from : undefined;
  return { messages, sinceMs: first.time.getTime(), block };
};

/** Asks JetStream for the progress of a chain's roles. Rejects while it is unavailable. */
export const createPipelineReader = (
  connection: NatsConnection,
  chainId: number,
): (() => Promise<PipelineState>) => {
  const stream = chainStream(chainId);
  const readers: ReadonlySet<string> = new Set(CHAIN_READERS);
  const readHeartbeat = createHeartbeatReader(connection, chainId);
  return async () => {
    const jsm = await connection.jetstreamManager({ timeout: ASK_MS_MAX, checkAPI: false });
    const read = async (role: BeatingRole) => {
      const [heartbeat, waiting] = await Promise.all([
        readHeartbeat(role),
        readers.has(role) ? readWaiting(jsm, stream, role) : undefined,
      ]);
      return { heartbeat, state: { beatAtMs: heartbeat?.atMs, waiting } };
    };
    const found = await Promise.all(
      BEATING_ROLES.map(async (role) => [role, await read(role)] as const),
    );
    const roles = Object.fromEntries(found.map(([role, { state }]) => [role, state]));
    return {
      roles: roles as PipelineState['roles'],
      chain: found.find(([role]) => role === 'watcher')?.[1].heartbeat?.chain,
    };
  };
};
