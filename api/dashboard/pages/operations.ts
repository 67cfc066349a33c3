import { z } from 'zod';
import { countSchema } from '../../../shared/messages/schemas.ts';
import type { ReaderState } from '../../../shared/platform/streamStates.ts';
import type { Health } from '../../health/createHealth.ts';
import { type AccountVisit, type Answer, definePages, show } from '../page.ts';

export const chainState = z.object({
  chainId: countSchema,
  blockNumber: countSchema,
  head: countSchema,
  /** Unix milliseconds of the last block stored. */
  blockAtMs: countSchema,
  /** Unix milliseconds when it was stored. */
  updatedAtMs: countSchema,
});
/** How far the scorer is on a chain. */
export type ChainState = Readonly<z.output<typeof chainState>>;

/** The state of all parts, for operators. */
export interface Operations {
  chains(): Promise<ChainState[]>;
  readers(): Promise<ReaderState[]>;
  /** Dead letters. */
  deadLetters(): Promise<number>;
}

/** Dependencies of the operators' page. */
export interface OperationsPorts {
  readonly operations: Operations;
  readonly health: Health;
}

/** A part's answer, or nothing while it is unavailable: the page shows the rest. */
const orNothing = <T>(work: Promise<T>): Promise<T | undefined> => work.catch(() => undefined);

const operations = async (
  { operations: parts, health }: OperationsPorts,
  { nowMs }: AccountVisit,
): Promise<Answer> => {
  const [checks, chains, readers, deadLetters] = await Promise.all([
    health.checks(),
    orNothing(parts.chains()),
    orNothing(parts.readers()),
    orNothing(parts.deadLetters()),
  ]);
  return show('operations', 'operations', { checks, chains, readers, deadLetters, nowMs });
};

/** The page for operators. */
export const operationsPages = definePages<OperationsPorts>([
  ['operator', 'get', '/dashboard/operations', operations],
]);
