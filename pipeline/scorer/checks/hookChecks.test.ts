import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sentence } from '../../../shared/sentences/sentence.ts';
import type {
  ContractProfile,
  HookProfile,
  PrivilegedCaller,
} from '../contract/contractProfile.ts';
import { checkInputOf, contractOf, OWNER_CALLER, probeOf } from '../testing/checkInputOf.ts';
import { decide } from '../verdict/decide.ts';
import type { CheckInput, TradeSimulation } from './checkInput.ts';
import { checkOf } from './checkResult.ts';
import { hookPower, hookPowerCheck, hookTax, hookTaxCheck, poolFee } from './hookChecks.ts';

const OTHER = `0x${'b'.repeat(40)}` as const;
const SLOT = `0x${'e'.repeat(64)}` as const;
const NOBODY = { kind: 'none', address: null, via: null } as const;
const OWNER = { kind: 'held', address: OTHER, via: 'owner()' } as const;
const PROXY = { kind: 'eip1967', implementation: OTHER, slot: SLOT, admin: null } as const;
const DELEGATED = { kind: 'eip7702', implementation: OTHER, slot: null, admin: null } as const;
const CLONE = { kind: 'eip1167', implementation: OTHER, slot: null, admin: null } as const;

/** A hook whose address ends with these four digits, of which the last 14 bits are its permissions. */
const hooked = (digits: string, change: Partial<HookProfile> = {}): CheckInput => {
  const address = `0x${'7'.repeat(36)}${digits}` as const;
  const hook = { address, manager: OTHER, setsFee: false, owner: NOBODY, proxy: null, ...change };
  return checkInputOf({ contract: contractOf({ pool: SLOT, hook }) });
};

const traded = (buyTake: number, sellTake: number): CheckInput => {
  const hook = { hook: OTHER, buyTake, sellTake, shownBy: [[], [], [], []] };
  const simulation: TradeSimulation = {
    kind: 'traded',
    blockNumber: 7,
    buyTax: 0,
    sellTax: 0,
    transfer: { kind: 'moved', tax: 0 },
    limits: [],
    hook,
    shownBy: { sale: [], transfer: [], limits: [] },
  };
  return checkInputOf({ simulation });
};

const refused: TradeSimulation = {
  kind: 'sellFails',
  blockNumber: 7,
  reason: sentence('revertsSilently'),
  limits: [],
  refusedBy: { hook: OTHER, shownBy: [] },
  shownBy: [],
};

const MANAGER = `0x${'4'.repeat(40)}` as const;
const POOL = `0x${'7'.repeat(64)}` as const;
const ofPool = (share: number): CheckInput =>
  checkInputOf({ poolFee: { share, manager: MANAGER, pool: POOL, blockNumber: 9 } });

/** Known to the code by a hash only. */
const HIDDEN: PrivilegedCaller = { address: `0x${'e'.repeat(40)}`, origin: 'secret' };
/** A hook whose owner, or somebody else, can do something in a simulation. */
const ownedHook = (kind: 'freeze' | 'tax', caller: PrivilegedCaller = OWNER_CALLER): CheckInput => {
  const { contract, ...input } = hooked('4080', { owner: OWNER });
  const power = {
    kind,
    caller,
    selector: '0xdeadbeef',
    data: '0x',
    value: 0.75,
  } as const;
  const probe = { ...probeOf([]), hookPowers: [power] } as ContractProfile['probe'];
  return { ...input, contract: contract && { ...contract, probe } };
};

/** For `checkResult.test.ts`. */
export const INPUTS: readonly CheckInput[] = [
  hooked('4000'),
  ownedHook('freeze'),
  ownedHook('tax'),
  hooked('4080'),
  hooked('408c', { owner: OWNER, setsFee: true }),
  hooked('4044', { owner: OWNER, proxy: PROXY }),
  hooked('4044', { proxy: DELEGATED }),
  ...[0, 0.3, 0.9].map((take) => traded(0.01, take)),
  ...[0.003, 0.3, 0.9].map(ofPool),
  checkInputOf({ simulation: refused }),
];

describe('hookPower', () => {
  it('says nothing of a pool without a hook', () => {
    assert.deepEqual(hookPower(checkInputOf({ contract: contractOf() })), []);
    assert.deepEqual(hookPower(checkInputOf()), []);
    const { refusedBy: _hook, ...byToken } = refused;
    assert.deepEqual(hookPower(checkInputOf({ simulation: byToken })), []);
  });

  for (const [name, input, expected] of [
    ['called for liquidity only', hooked('0f00'), ['pass', 'warning', 'idle']],
    ['bits above the permissions', hooked('c000'), ['pass', 'warning', 'idle']],
    ['called before swaps', hooked('0080'), ['fail', 'info', 'fixed']],
    ['called after swaps', hooked('0040'), ['fail', 'info', 'fixed']],
    ['only sets the fee', hooked('0000', { setsFee: true }), ['fail', 'info', 'fixed']],
    ['with an owner', hooked('0080', { owner: OWNER }), ['fail', 'info', 'owned']],
    ['a clone for good', hooked('0080', { proxy: CLONE }), ['fail', 'info', 'fixed']],
    ['code in a slot', hooked('0080', { proxy: PROXY }), ['fail', 'warning', 'replaceable']],
    ['delegated', hooked('0080', { proxy: DELEGATED }), ['fail', 'warning', 'replaceable']],
    ['idle, code in a slot', hooked('0f00', { proxy: PROXY }), ['pass', 'warning', 'idle']],
    ['refuses a sale', { ...hooked('0080'), simulation: refused }, ['fail', 'critical', 'refuses']],
  ] as const) {
    it(`judges a hook: ${name}`, () => {
      const [check] = hookPower(input);
      assert.deepEqual([check?.status, check?.severity, check?.value], expected);
      assert.ok(check?.evidence?.every(({ request }) => request !== undefined));
    });
  }
});

describe('hookPower in a simulation', () => {
  it('is proof where the hook knows by a hash alone who stops sales, and a warning where its owner does', () => {
    const severity = (input: CheckInput) => hookPower(input)[0]?.severity;
    assert.equal(severity(ownedHook('freeze')), 'warning');
    assert.equal(severity(ownedHook('freeze', HIDDEN)), 'critical');
  });
});

describe('hookTax', () => {
  it('says nothing of a pool without a hook', () => {
    assert.deepEqual(hookTax(checkInputOf({ contract: contractOf() })), []);
    assert.deepEqual(hookTax(checkInputOf()), []);
  });

  it('is unknown where a pool with a hook could not be traded on', () => {
    assert.equal(hookTax(hooked('0080'))[0]?.status, 'unknown');
  });

  for (const [buyTake, sellTake, status, severity] of [
    [0, 0, 'pass', 'warning'],
    [0.03, 0.09, 'pass', 'warning'],
    [0.1, 0, 'fail', 'warning'],
    [0, 0.3, 'fail', 'warning'],
    [0.5, 0, 'fail', 'critical'],
  ] as const) {
    it(`judges ${buyTake} of a purchase and ${sellTake} of a sale`, () => {
      const [check] = hookTax(traded(buyTake, sellTake));
      assert.deepEqual([check?.status, check?.severity], [status, severity]);
      assert.equal(check?.value, Math.max(buyTake, sellTake));
      const shown = check?.evidence?.filter(({ request }) => request).length;
      assert.equal(shown, status === 'fail' ? 4 : 0);
    });
  }
});

describe('what hooks weigh', () => {
  const probability = (input: CheckInput): number =>
    decide({
      priorScamRate: 0.3,
      market: undefined,
      baseRate: undefined,
      ageS: 0,
      isSecured: false,
      isTraded: false,
      code: undefined,
      checks: [hookPowerCheck, hookTaxCheck].flatMap(({ run }) => run(input)).map(checkOf),
    }).probability;

  it('is nothing for one that is just called, and a little where its code can be replaced', () => {
    assert.equal(probability(hooked('0080', { owner: OWNER })), probability(checkInputOf()));
    const replaceable = probability(hooked('0080', { proxy: PROXY }));
    assert.ok(replaceable > 0.4 && replaceable < 0.5, String(replaceable));
  });

  it('makes a scam where sales are refused, or their money is kept', () => {
    assert.ok(probability(checkInputOf({ simulation: refused })) > 0.96);
    assert.ok(probability(traded(0, 0.6)) > 0.96);
    assert.ok(probability(traded(0, 0.3)) > 0.7, String(probability(traded(0, 0.3))));
    assert.ok(probability(traded(0, 0.12)) < 0.5);
  });
});

describe('poolFee', () => {
  it('is no check of pools whose opener did not choose the fee', () => {
    assert.deepEqual(poolFee(checkInputOf()), []);
  });

  const cases = [
    [0.003, 'pass', 'warning'],
    [0.1, 'fail', 'warning'],
    [0.5, 'fail', 'critical'],
    [1, 'fail', 'critical'],
  ] as const;
  for (const [share, status, severity] of cases) {
    it(`of ${share} is a ${status}, and shows the log that names it`, () => {
      const [check] = poolFee(ofPool(share));
      assert.ok(check);
      assert.deepEqual(
        [check.status, check.value, ...(status === 'fail' ? [check.severity] : [])],
        [status, share, ...(status === 'fail' ? [severity] : [])],
      );
      const [request] = (check.evidence ?? []).flatMap(({ request: one }) => one ?? []);
      const params = request?.params as [{ address: string; topics: string[] }];
      assert.deepEqual([params[0].address, params[0].topics[1]], [MANAGER, POOL]);
    });
  }
});
