import { type BlockHeader, ZERO_HASH } from '../../../shared/chain/block.ts';
import { advance, emptyLocalChain, type LocalChain, stacked, toldFinal } from './localChain.ts';
import type { MessageHeaders } from './messageHeaders.ts';

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
  // The parent of an ancestor below all messages is unknown: no reorg can go deeper than it.
  const ancestor: BlockHeader = { number, hash, parentHash: ZERO_HASH, timestampS };
  const headers = kept.at(-1)?.hash === hash ? kept : [ancestor];
  return { ...chain, epoch, headers, next: number + 1 };
};

/**
 * The local chain as the stream's last messages tell it. Of stretches longer than one block only
 * the last header is known; such stretches are published of final blocks only.
 */
export const rebuildLocalChain = (messages: readonly MessageHeaders[]): LocalChain => {
  let chain = emptyLocalChain(0);
  let open: BlocksHeaders | undefined;
  for (const message of messages) {
    if (message.kind === 'finalize') {
      chain = toldFinal({ ...chain, epoch: message.epoch }, message.number);
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
