import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BlockHeader } from '../../shared/chain/block.ts';
import { blocksEvent } from '../../shared/testing/blocksEvent.ts';
import { emptyLocalChain, extend, finalize, rollBack } from './localChain.ts';
import { messageHeaders, readMessageHeaders, writeMessageHeaders } from './messageHeaders.ts';
import { meaningOf, walkDown } from './reconcile.ts';
import { rebuildLocalChain } from './resume.ts';
import { chainOf, hashAt as hash, headerAt as header } from './testing/branches.ts';

describe('meaningOf', () => {
  const chain = chainOf(10, 20);
  const cases: [string, BlockHeader, string][] = [
    ['next block', header('a', 21), 'extends'],
    ['next block of another branch', header('b', 21), 'contradicts'],
    ['the tip', header('a', 20), 'known'],
    ['another block at the tip', header('b', 20), 'contradicts'],
    ['an earlier block of ours', header('a', 15), 'known'],
    ['an earlier block of another branch', header('b', 15), 'shorter'],
    ['a block below all we keep', header('b', 5), 'behind'],
    ['a block far above', header('b', 25), 'ahead'],
  ];
  for (const [what, given, meaning] of cases) {
    test(`${what}: ${meaning}`, () => assert.equal(meaningOf(chain, given), meaning));
  }
  test('anything extends nothing', () =>
    assert.equal(meaningOf(emptyLocalChain(3), header('b', 3)), 'extends'));
});

describe('walkDown', () => {
  const chain = finalize(chainOf(10, 20), { number: 12, hash: null }, 1, 1).chain;

  test('finds the ancestor, asks for parents, or says that it is too deep', () => {
    assert.deepEqual(walkDown(chain, header('b', 20, 19)), {
      kind: 'ancestor',
      ancestor: header('a', 19),
    });
    assert.deepEqual(walkDown(chain, header('b', 20)), {
      kind: 'parent',
      hash: hash('b', 19),
      number: 19,
    });
    assert.deepEqual(walkDown(chain, header('b', 13, 12)), {
      kind: 'ancestor',
      ancestor: header('a', 12),
    });
    assert.equal(walkDown(chain, header('b', 13)).kind, 'tooDeep');
    assert.equal(walkDown(chain, header('b', 12, 11)).kind, 'tooDeep');
  });
  test('the first block ever published may be orphaned', () => {
    assert.deepEqual(walkDown(chainOf(10, 11), header('b', 10, 9)), {
      kind: 'ancestorBelow',
      hash: hash('a', 9),
    });
    assert.equal(walkDown(chainOf(10, 11), header('b', 10)).kind, 'tooDeep');
  });
});

describe('rebuildLocalChain', () => {
  test('gives the chain that published the messages', () => {
    let chain = emptyLocalChain(10);
    const messages = [];
    for (let number = 10; number <= 40; number += 1) {
      const to = header('a', number);
      chain = extend(chain, to);
      messages.push(messageHeaders(blocksEvent([], { from: number, to, head: number })));
      const step = finalize(chain, { number: number - 8, hash: null }, 5, 1);
      chain = step.chain;
      if (step.event) messages.push(messageHeaders(step.event));
    }
    const back = rollBack(chain, header('a', 37), 1);
    messages.push(messageHeaders(back.event));
    const written = messages.map((one) => new Map(writeMessageHeaders(one)));
    const read = written.map((one) => readMessageHeaders((name) => one.get(name)));
    assert.deepEqual(read, messages);
    const rebuilt = rebuildLocalChain(messages);
    assert.deepEqual(rebuilt, back.chain);
  });
});
