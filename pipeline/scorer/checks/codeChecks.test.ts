import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Hex } from '../../../shared/chain/block.ts';
import { writeSentence } from '../../../shared/sentences/writeSentence.ts';
import type { ContractProfile } from '../contract/contractProfile.ts';
import { selectorOf } from '../simulation/evmCode.ts';
import { checkInputOf, contractOf } from '../testing/checkInputOf.ts';
import { erc20Surface, foreignCode, proxy, selfDestruct } from './codeChecks.ts';

const inputOf = (change: Partial<ContractProfile> = {}) =>
  checkInputOf({ contract: contractOf(change) });
const patterns = (change: Partial<ContractProfile['patterns']>) => ({
  patterns: { selfDestructAt: null, delegateCallAt: null, comparedCallers: [], ...change },
});
const implementation = `0x${'d'.repeat(40)}` as const;
const slot = `0x${'e'.repeat(64)}` as const;
const RULER = `0x${'f'.repeat(40)}` as const;
const UPGRADER = `0x${'a'.repeat(40)}` as const;
const UPGRADEABLE = { proxy: { kind: 'eip1967', implementation, slot, admin: null } } as const;
const MINIMAL = { proxy: { kind: 'eip1167', implementation, slot: null, admin: null } } as const;

describe('checks of code', () => {
  for (const [name, check, input, status] of [
    ['no self-destruction', selfDestruct, inputOf(), 'pass'],
    ['self-destruction', selfDestruct, inputOf(patterns({ selfDestructAt: 0 })), 'fail'],
    ['no foreign code', foreignCode, inputOf(), 'pass'],
    ['foreign code', foreignCode, inputOf(patterns({ delegateCallAt: 9 })), 'fail'],
    [
      'foreign code behind a proxy',
      foreignCode,
      inputOf({ ...patterns({ delegateCallAt: 9 }), ...UPGRADEABLE }),
      'not_applicable',
    ],
    ['no proxy', proxy, inputOf(), 'pass'],
    ['a proxy that can change', proxy, inputOf(UPGRADEABLE), 'fail'],
    ['a proxy that cannot', proxy, inputOf(MINIMAL), 'pass'],
    ['self-destruction of who knows what', selfDestruct, checkInputOf(), 'unknown'],
    ['a proxy of who knows what', proxy, checkInputOf(), 'unknown'],
  ] as const) {
    it(`${name}: ${status}`, () => {
      assert.equal(check(input).status, status);
    });
  }

  it('tells of a proxy, and warns where a single wallet can replace its code, with who that is', () => {
    assert.equal(proxy(inputOf(UPGRADEABLE)).severity, 'info');
    const ruledBy = (kind: 'wallet' | 'timelock', admin: Hex | null) =>
      proxy(
        inputOf({
          proxy: { ...UPGRADEABLE.proxy, admin, ruler: RULER },
          holders: [{ address: RULER, kind }],
        }),
      );
    assert.equal(ruledBy('timelock', RULER).severity, 'info');
    const notesOf = (admin: Hex | null) => {
      const { severity, held_by: holder, evidence = [] } = ruledBy('wallet', admin);
      assert.deepEqual([severity, holder], ['warning', 'wallet']);
      return evidence.map(({ note }) => note?.code);
    };
    assert.deepEqual(notesOf(RULER), ['verbatim', 'slotNames']);
    assert.deepEqual(notesOf(implementation), ['verbatim', 'slotNames', 'answers']);
    assert.deepEqual(notesOf(null), ['verbatim', 'answers']);
    // Another account is admitted beside a timelock.
    const upgrade = { caller: UPGRADER, data: '0x3659cfe6' } as const;
    const { held_by: holder, evidence } = proxy(
      inputOf({
        proxy: { ...UPGRADEABLE.proxy, admin: null, ruler: RULER, upgrade },
        holders: [
          { address: RULER, kind: 'timelock' },
          { address: UPGRADER, kind: 'wallet' },
        ],
      }),
    );
    assert.deepEqual([holder, evidence?.[1]?.note?.code], ['wallet', 'replacesCode']);
    assert.deepEqual(evidence?.[1]?.request?.params[0], {
      from: UPGRADER,
      to: checkInputOf().token,
      data: '0x3659cfe6',
    });
  });

  it('names the implementation whose code was read', () => {
    const { evidence } = selfDestruct(
      inputOf({ ...patterns({ selfDestructAt: 3 }), ...UPGRADEABLE }),
    );
    assert.match(evidence?.[0]?.ref ?? '', new RegExp(implementation));
  });
});

describe('erc20Surface', () => {
  const SIGNATURES = [
    'totalSupply()',
    'balanceOf(address)',
    'transfer(address,uint256)',
    'transferFrom(address,address,uint256)',
    'approve(address,uint256)',
    'allowance(address,address)',
  ];
  const functionsOf = (signatures: readonly string[]) =>
    signatures.map((one) => ({ selector: selectorOf(one), arguments: '', writes: true }));

  it('passes where all functions are there', () => {
    assert.equal(erc20Surface(inputOf({ functions: functionsOf(SIGNATURES) })).status, 'pass');
  });

  it('names what is missing, as information', () => {
    const check = erc20Surface(inputOf({ functions: functionsOf(SIGNATURES.slice(0, 5)) }));
    assert.deepEqual([check.status, check.severity, check.value], ['fail', 'info', 5]);
    assert.match(writeSentence(check.reason, 'en'), /allowance/);
  });

  it('does not know where no function was found', () => {
    assert.equal(erc20Surface(inputOf()).status, 'unknown');
  });
});
