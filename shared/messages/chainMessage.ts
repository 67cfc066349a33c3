import { z } from 'zod';
import type { ChainEvent } from '../chain/chainEvent.ts';
import type { Fact } from '../chain/fact.ts';
import { decodeFact, encodeFact } from './factTuple.ts';
import { countSchema, hashSchema } from './schemas.ts';

/** Version of the chain messages. A reader refuses unknown versions. */
const CHAIN_MESSAGE_VERSION = 1;
/** Maximum facts per message. */
export const FACTS_PER_MESSAGE_MAX = 500;
/** Maximum bytes per message. */
export const CHAIN_MESSAGE_BYTES_MAX = 512 * 1024;

const blockRef = { number: countSchema, hash: hashSchema };
const common = { v: z.literal(CHAIN_MESSAGE_VERSION), chainId: countSchema, epoch: countSchema };

/**
 * The facts of one block, looped over by hand because zod's own array check costs more than parsing the JSON.
 */
const factsSchema = z.custom<readonly unknown[]>(Array.isArray).transform((tuples, context) => {
  const facts: Fact[] = [];
  for (const tuple of tuples) {
    const fact = decodeFact(tuple);
    if (!fact) {
      context.addIssue({ code: 'custom', message: 'must be a list of facts' });
      return z.NEVER;
    }
    facts.push(fact);
  }
  return facts;
});

/** A chain event in serialised form. */
export const chainMessageSchema = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('blocks'),
    from: countSchema,
    to: z.object({ ...blockRef, parentHash: hashSchema, timestampS: countSchema }),
    blocks: z.array(z.object({ ...blockRef, timestampS: countSchema, facts: factsSchema })),
    chunk: countSchema,
    last: z.boolean(),
    head: countSchema,
    readAtMs: countSchema,
  }),
  z.object({
    ...common,
    kind: z.literal('reorg'),
    ancestor: z.object({ ...blockRef, timestampS: countSchema }),
    orphaned: z.array(z.object(blockRef)),
  }),
  z.object({ ...common, kind: z.literal('finalize'), block: z.object(blockRef) }),
]);

/** The bytes of a chain event on the stream. */
export const encodeChainEvent = (event: ChainEvent): Uint8Array => {
  const body =
    event.kind === 'blocks'
      ? {
          ...event,
          blocks: event.blocks.map((block) => ({ ...block, facts: block.facts.map(encodeFact) })),
        }
      : event;
  return Buffer.from(JSON.stringify({ v: CHAIN_MESSAGE_VERSION, ...body }));
};

/**
 * Reads a chain event from the stream.
 * @throws ZodError or SyntaxError if the bytes are not a chain event of a known version.
 */
export const decodeChainEvent = (bytes: Uint8Array): ChainEvent => {
  const { v: _version, ...event } = chainMessageSchema.parse(
    JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()),
  );
  return event;
};

/** Deduplication id of a chain event, the same for every attempt to publish it. */
export const chainMessageId = (event: ChainEvent): string => {
  switch (event.kind) {
    case 'blocks':
      return `${event.chainId}:${event.epoch}:${event.from}:${event.to.hash}:${event.chunk}`;
    case 'reorg':
      return `${event.chainId}:${event.epoch}:reorg:${event.ancestor.hash}`;
    case 'finalize':
      return `${event.chainId}:${event.epoch}:finalize:${event.block.hash}`;
  }
};
