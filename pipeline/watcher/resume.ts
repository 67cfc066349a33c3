import { type BlockHeader, ZERO_HASH } from '../../shared/chain/block.ts';
import { FatalError } from '../../shared/platform/errors.ts';
import type { ChainSource } from '../../shared/platform/rpc/createRpc.ts';
import { KEEP_MESSAGES } from './chainPublisher.ts';
import { advance, emptyLocalChain, type LocalChain, stacked, withFinal } from './localChain.ts';
import type { MessageHeaders } from './messageHeaders.ts';
import type { ChainStream } from './ports.ts';

type BlocksHeaders = Extract<MessageHeaders, { kind: 'blocks' }>;

const headerOf = (headers: BlocksHeaders): BlockHeader => {
  const { number, hash, parentHash, timestampS } = headers;
  return { number, hash, parentHash, timestampS };
};

const afterReorg = (
  chain: LocalChain,
  { epoch, number, hash, timestampS }: Extract<MessageHeaders, { kind: 'reorg' }>,
): LocalChain => {
  const kept = chain.headers.filter((header) => header.number <= number);
  // The parent of an ancestor below all messages is unknown: no reorg can go deeper than that.
  const ancestor: BlockHeader = { number, hash, parentHash: ZERO_HASH, timestampS };
  const headers = kept.at(-1)?.hash === hash ? kept : [ancestor];
  return { ...chain, epoch, headers, next: number + 1 };
};

/**
 * The local chain rebuilt from the stream's last messages. For ranges longer than one block only the last header is
 * known; such ranges contain final blocks only.
 */
export const rebuildLocalChain = (messages: readonly MessageHeaders[]): LocalChain => {
  let chain = emptyLocalChain(0);
  let open: BlocksHeaders | undefined;
  for (const message of messages) {
    if (message.kind === 'finalize') {
      chain = withFinal({ ...chain, epoch: message.epoch }, message.number);
    } else if (message.kind === 'reorg') {
      open = undefined;
      chain = afterReorg(chain, message);
    } else if (message.last) {
      open = undefined;
      const { epoch, from } = message;
      chain = advance({ ...chain, epoch }, from, headerOf(message));
    } else {
      open = message;
      chain = { ...chain, epoch: message.epoch, next: message.from };
    }
  }
  if (!open) return chain;
  const isOneBlock = open.from === open.number;
  const headers = isOneBlock ? stacked(chain, headerOf(open)) : chain.headers;
  return { ...chain, headers, next: open.from, incomplete: { chunks: open.chunk + 1 } };
};

/** Where a watcher continues. */
interface ResumePoint {
  readonly chain: LocalChain;
  readonly lastSeq: number;
}

/**
 * Finds the position from the published messages: the stream is the only record of it. An empty stream begins at
 * `startBlock`, or at the current head.
 * @throws FatalError if a stream once held messages and now has none: its position is lost.
 */
export const resume = async (
  stream: ChainStream,
  source: ChainSource,
  startBlock: number | undefined,
): Promise<ResumePoint> => {
  const { firstSeq, lastSeq, messages } = await stream.info();
  if (messages === 0) {
    if (lastSeq > 0) {
      throw new FatalError(
        `the stream lost all of its ${lastSeq} messages, and with them the position in the chain: ` +
          'delete the stream and the facts of this chain to start over at START_BLOCK',
      );
    }
    const start = startBlock ?? (await source.follow(0, 0)).head.number;
    return { chain: emptyLocalChain(start), lastSeq };
  }
  const headers = await stream.headersFrom(Math.max(firstSeq, lastSeq - KEEP_MESSAGES + 1));
  if (headers.length === 0) throw new FatalError('the stream holds no message of a watcher');
  return { chain: rebuildLocalChain(headers), lastSeq };
};
