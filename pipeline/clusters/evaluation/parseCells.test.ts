import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createNames,
  parseAmount,
  parseBlock,
  parseFlag,
  placeColumns,
  separatorOf,
} from './parseCells.ts';

describe('separatorOf', () => {
  for (const [header, separator] of [
    ['from,to,kind', ','],
    ['from;to;kind', ';'],
    ['from\tto\tkind', '\t'],
    ['from', ','],
  ] as const) {
    it(JSON.stringify(header), () => assert.equal(separatorOf(header), separator));
  }
});

describe('placeColumns', () => {
  const wanted = ['from', 'to', 'value', 'block'];
  for (const { name, header, places } of [
    { name: 'any order', header: ['block', 'value', 'to', 'from'], places: [3, 2, 1, 0] },
    { name: 'any case', header: ['FROM', 'To', 'Value', 'BLOCK'], places: [0, 1, 2, 3] },
    {
      name: 'aliases',
      header: ['sender', 'recipient', 'amount', 'Block Number'],
      places: [0, 1, 2, 3],
    },
    {
      name: 'the name itself before an alias',
      header: ['source', 'from', 'to', 'wei', 'value', 'block'],
      places: [1, 2, 4, 5],
    },
    { name: 'absent columns', header: ['from', 'to'], places: [0, 1, -1, -1] },
    {
      name: 'columns besides',
      header: ['id', 'from', 'to', 'value', 'block', 'x'],
      places: [1, 2, 3, 4],
    },
  ]) {
    it(name, () => assert.deepEqual(placeColumns(header, wanted), places));
  }

  it('a column that is wanted itself is no alias of another', () => {
    assert.deepEqual(placeColumns(['token', 'from'], ['token', 'creator']), [0, 1]);
    assert.deepEqual(placeColumns(['from', 'to'], ['from', 'creator']), [0, -1]);
  });
});

describe('cells', () => {
  for (const [text, amount] of [
    ['0.25', 0.25],
    ['1000000000000000000', 1e18],
    ['1_000.5', 1_000.5],
    ['2.5e-3', 0.0025],
    ['0x10', 16],
    ['', 0],
    ['-1', 0],
    ['unknown', 0],
    ['Infinity', 0],
  ] as const) {
    it(`amount ${JSON.stringify(text)}`, () => assert.equal(parseAmount(text), amount));
  }

  for (const [text, block] of [
    ['17', 17],
    ['17.9', 17],
    ['', 0],
    ['-3', 0],
    ['latest', 0],
  ] as const) {
    it(`block ${JSON.stringify(text)}`, () => assert.equal(parseBlock(text), block));
  }

  for (const text of ['1', '1.0', 'true', 'TRUE', 'Yes', 'SCAM', 'rug', 'malicious']) {
    it(`flag ${text}: yes`, () => assert.equal(parseFlag(text), true));
  }
  for (const text of ['0', 'false', 'no', 'SAFE', 'not a scam']) {
    it(`flag ${JSON.stringify(text)}: no`, () => assert.equal(parseFlag(text), false));
  }
  it('an empty flag says nothing', () => assert.equal(parseFlag(''), undefined));
});

describe('createNames', () => {
  it('takes an address as it is, whatever its case, and spells it as the file does', () => {
    const names = createNames();
    const upper = `0x${'AB'.repeat(20)}`;
    const address = names.addressOf(upper);
    assert.equal(address, upper.toLowerCase());
    assert.equal(names.nameOf(address), upper);
    assert.equal(names.addressOf(upper.toLowerCase()), address);
    assert.equal(names.nameOf(address), upper.toLowerCase());
  });

  it('makes an address for any other name', () => {
    const names = createNames();
    const [alice, bob] = [names.addressOf('alice'), names.addressOf('bob')];
    assert.match(alice, /^0x[0-9a-f]{40}$/);
    assert.notEqual(alice, bob);
    assert.equal(names.addressOf('ALICE'), alice);
    assert.equal(names.nameOf(bob), 'bob');
  });
});
