import assert from 'node:assert';
import type { ChainEvent } from '../chain/chainEvent.ts';
import type { Fact } from '../chain/fact.ts';

/** Facts by block hash of what a reader of the stream holds to be canonical. */
export type CanonicalFacts = Map<string, readonly Fact[]>;

const factKey = (fact: Fact): string =>
  'logIndex' in fact ? `log ${fact.logIndex}` : `${fact.kind} ${fact.txIndex}`;

/**
 * What an idempotent reader knows after all events: facts by block, each once, orphaned blocks gone.
 * Checks the contract on the way: ranges without gaps, reorgs whose orphans were published, epochs
 * that grow by one, nothing final taken back.
 */
export const readCanonicalFacts = (events: readonly ChainEvent[]): CanonicalFacts => {
  const blocks = new Map<string, { number: number; facts: Map<string, Fact> }>();
  let next: number | undefined;
  let epoch = 0;
  let final = -1;
  for (const event of events) {
    if (event.kind === 'finalize') {
      assert.ok(event.block.number < (next ?? 0), 'only published blocks become final');
      final = event.block.number;
      continue;
    }
    if (event.kind === 'reorg') {
      epoch += 1;
      assert.equal(event.epoch, epoch, 'epochs grow by one');
      assert.ok(event.ancestor.number >= final, 'nothing final is orphaned');
      for (const { hash } of event.orphaned) blocks.delete(hash);
      const left = [...blocks.values()].filter(({ number }) => number > event.ancestor.number);
      assert.equal(left.length, 0, 'a reorg names every orphaned block');
      next = event.ancestor.number + 1;
      continue;
    }
    assert.equal(event.epoch, epoch, 'blocks carry the epoch of the last reorg');
    assert.equal(event.from, next ?? event.from, 'ranges follow one another');
    next ??= event.from;
    for (const { number, hash, facts } of event.blocks) {
      assert.ok(number >= event.from && number <= event.to.number, 'a block lies in its range');
      const known = blocks.get(hash) ?? { number, facts: new Map<string, Fact>() };
      for (const fact of facts) known.facts.set(factKey(fact), fact);
      blocks.set(hash, known);
    }
    if (event.last) next = event.to.number + 1;
  }
  return new Map([...blocks].map(([hash, { facts }]) => [hash, [...facts.values()]]));
};
