import { z } from 'zod';
import type { ChainEvent } from '../../shared/chain/chainEvent.ts';
import { hashSchema } from '../../shared/messages/schemas.ts';

const count = z.string().regex(/^\d+$/).transform(Number).refine(Number.isSafeInteger);
const kept = { epoch: count, number: count, hash: hashSchema };
const schema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('blocks'),
    ...kept,
    from: count,
    parentHash: hashSchema,
    timestampS: count,
    chunk: count,
    last: z
      .string()
      .optional()
      .transform((text) => text === 'true'),
  }),
  // Its block is the common ancestor.
  z.object({ kind: z.literal('reorg'), ...kept, timestampS: count }),
  z.object({ kind: z.literal('finalize'), ...kept }),
]);

/** Header fields of a chain message: all that a restart needs, without reading bodies. */
export type MessageHeaders = Readonly<z.output<typeof schema>>;

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

/** The headers as text, by name. */
export const writeMessageHeaders = (headers: MessageHeaders): [name: string, value: string][] =>
  Object.entries(NAMES).flatMap(([key, name]): [string, string][] => {
    const value = new Map<string, string | number | boolean>(Object.entries(headers)).get(key);
    return value === undefined ? [] : [[name, String(value)]];
  });

/** Parses headers. Undefined: the message was not written by a watcher. */
export const readMessageHeaders = (
  get: (name: string) => string | undefined,
): MessageHeaders | undefined =>
  schema.safeParse(Object.fromEntries(Object.entries(NAMES).map(([key, name]) => [key, get(name)])))
    .data;
