import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../../shared/chain/block.ts';
import { compileSources } from '../../../../shared/testing/devnet/compileContracts.ts';
import { selectorOf } from '../../simulation/evmCode.ts';
import { codeFunctions } from '../probeCalls.ts';
import { contractFrameworks, findFrameworks } from './findFrameworks.ts';
import { FRAMEWORKS } from './frameworkCatalogue.ts';

const FILE = 'fixtures/Marked.sol';
/** Compilers write the same constants in several ways. */
const SETTINGS = [
  { name: 'optimized', optimizer: { enabled: true, runs: 200 } },
  { name: 'for size', optimizer: { enabled: true, runs: 1 } },
  { name: 'as written', optimizer: { enabled: false } },
  { name: 'by the other pipeline', optimizer: { enabled: true, runs: 200 }, viaIR: true },
];

const found = (code: Hex): string[] => {
  const selectors = codeFunctions(code).map(({ selector }) => selector);
  return findFrameworks(code, selectors).map(({ name, marks, of }) => `${name}: ${marks} of ${of}`);
};

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  Plain: [],
  Library: ['OpenZeppelin Contracts 5: 8 of 11'],
  Namespaces: ['OpenZeppelin Contracts Upgradeable 5: 2 of 7'],
  Seeds: ['Solady: 3 of 5'],
  LongReasons: ['OpenZeppelin Contracts 2.4–4.9: 6 of 6'],
  ShortReasons: ['solmate: 2 of 2'],
};

describe('findFrameworks', () => {
  for (const { name, ...settings } of SETTINGS) {
    it(`finds the marks in code compiled ${name}, and none in code written by hand`, async () => {
      const options = { ...settings, evmVersion: 'cancun' };
      const codes = await compileSources(import.meta.url, [FILE], options);
      for (const [contract, expected] of Object.entries(EXPECTED)) {
        assert.deepEqual(found(codes(FILE, contract).runtime), expected, contract);
      }
    });
  }

  it('names a framework from as many of its functions as it needs, and from no fewer', () => {
    for (const { name, needed, functions = [] } of FRAMEWORKS) {
      if (functions.length < needed) continue;
      const named = (selectors: readonly Hex[]) =>
        findFrameworks('0x', selectors).map((one) => one.name);
      const selectors = functions.slice(0, needed).map(selectorOf);
      assert.deepEqual(named(selectors), [name]);
      assert.deepEqual(named(selectors.slice(1)), []);
    }
  });

  it('names every framework once, and needs at least two of its marks', () => {
    assert.equal(new Set(FRAMEWORKS.map(({ name }) => name)).size, FRAMEWORKS.length);
    for (const { name, needed } of FRAMEWORKS) assert.ok(needed >= 2, name);
  });
});

describe('contractFrameworks', () => {
  const implementation = `0x${'d'.repeat(40)}` as const;
  const proxy = { implementation, slot: null, admin: null };
  const solady = { name: 'Solady', marks: 3, of: 5 };

  it('names the kind of a proxy and what it runs, with the contract that it runs', () => {
    assert.deepEqual(contractFrameworks({ ...proxy, kind: 'eip1167' }, [solady]), [
      { name: 'EIP-1167 proxy', marks: 1, of: 1, implementation },
      { ...solady, implementation },
    ]);
  });

  it('takes an account that delegates for no proxy', () => {
    assert.deepEqual(contractFrameworks({ ...proxy, kind: 'eip7702' }, []), []);
    assert.deepEqual(contractFrameworks(null, [solady]), [solady]);
  });
});
