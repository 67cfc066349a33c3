import type { Hex } from '../../shared/chain/block.ts';
import type { ChainEvent } from '../../shared/chain/chainEvent.ts';

/** What a chain message says in its headers: all that a restart needs, without reading bodies. */
export type MessageHeaders =
  | {
      readonly kind: 'blocks';
      readonly epoch: number;
      readonly from: number;
      readonly number: number;
      readonly hash: Hex;
      readonly parentHash: Hex;
      readonly timestampS: number;
      readonly chunk: number;
      readonly last: boolean;
    }
  | {
      readonly kind: 'reorg';
      readonly epoch: number;
      /** The common ancestor. */
      readonly number: number;
      readonly hash: Hex;
      readonly timestampS: number;
    }
  | {
      readonly kind: 'finalize';
      readonly epoch: number;
      readonly number: number;
      readonly hash: Hex;
    };

/** The headers of an event's message. */
export const messageHeaders = (event: ChainEvent): MessageHeaders => {
  const { epoch } = event;
  switch (event.kind) {
    case 'blocks': {
      const { from, to, chunk, last } = event;
      const { number, hash, parentHash, timestampS } = to;
      return { kind: 'blocks', epoch, from, number, hash, parentHash, timestampS, chunk, last };
    }
    case 'reorg': {
      const { number, hash, timestampS } = event.ancestor;
      return { kind: 'reorg', epoch, number, hash, timestampS };
    }
    case 'finalize':
      return { kind: 'finalize', epoch, number: event.block.number, hash: event.block.hash };
  }
};

/** Message header names, in the order of the contract. */
const NAMES = {
  kind: 'Kind',
  epoch: 'Epoch',
  from: 'From',
  number: 'Number',
  hash: 'Hash',
  parentHash: 'Parent',
  timestampS: 'Time',
  chunk: 'Chunk',
  last: 'Last',
} as const;

/** The headers as text, name by name. */
export const writeMessageHeaders = (headers: MessageHeaders): [name: string, value: string][] =>
  Object.entries(NAMES).flatMap(([key, name]): [string, string][] => {
    const value = new Map<string, string | number | boolean>(Object.entries(headers)).get(key);
    return value === undefined ? [] : [[name, String(value)]];
  });

const HASH = /^0x[0-9a-f]{64}$/;
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** Reads headers back. Undefined: the message was not written by a watcher. */
export const readMessageHeaders = (
  get: (name: string) => string | undefined,
): MessageHeaders | undefined => {
  const count = (name: string): number => Number(get(name) || Number.NaN);
  const kind = get(NAMES.kind);
  const epoch = count(NAMES.epoch);
  const number = count(NAMES.number);
  const hash = get(NAMES.hash) as Hex | undefined;
  if (!isCount(epoch) || !isCount(number) || !hash || !HASH.test(hash)) return undefined;
  if (kind === 'finalize') return { kind, epoch, number, hash };
  const timestampS = count(NAMES.timestampS);
  if (!isCount(timestampS)) return undefined;
  if (kind === 'reorg') return { kind, epoch, number, hash, timestampS };
  const from = count(NAMES.from);
  const chunk = count(NAMES.chunk);
  const parentHash = get(NAMES.parentHash) as Hex | undefined;
  if (kind !== 'blocks' || !isCount(from) || !isCount(chunk) || !parentHash) return undefined;
  const last = get(NAMES.last) === 'true';
  return { kind, epoch, from, number, hash, parentHash, timestampS, chunk, last };
};
