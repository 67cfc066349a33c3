import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { checkOf } from '../../scorer/checks/checkResult.ts';
import { runChecks } from '../../scorer/checks/checks.ts';
import { findPowers } from '../../scorer/contract/powers/findPowers.ts';
import { harmfulPowers } from '../../scorer/contract/privilegeHolders.ts';
import { codeFunctions } from '../../scorer/contract/probeCalls.ts';
import { checkInputOf, contractOf } from '../../scorer/testing/checkInputOf.ts';
import { decide } from '../../scorer/verdict/decide.ts';
import { readWorld } from './trialContracts.ts';

const DATA = join(projectRoot(), '../shared/data');
const TOKENS = 60;
const OWNER = `0x${'a'.repeat(40)}` as const;
const isThere = existsSync(join(DATA, 'mainnet-blocks'));

describe('codes of real tokens', () => {
  it('make none of them a scam, though one wallet has every power they give', {
    skip: isThere ? false : `no recordings in ${DATA}`,
  }, async () => {
    const { contracts } = await readWorld(DATA, TOKENS);
    const real = contracts.filter(({ label }) => label === 'real');
    assert.equal(real.length, TOKENS);
    for (const { address, code } of real) {
      const functions = codeFunctions(code);
      const powers = findPowers(
        code,
        functions.map(({ selector }) => selector.slice(2)),
      );
      const contract = contractOf({
        functions,
        codePowers: harmfulPowers(powers).map(({ power, finding: { reason, selector } }) => ({
          power,
          reason,
          selector,
          holder: { kind: 'wallet', address: OWNER, slot: null, isEntry: false },
        })),
      });
      const checks = runChecks(checkInputOf({ token: address, contract })).map(checkOf);
      const { prediction } = decide({
        priorScamRate: 0.5,
        market: undefined,
        baseRate: undefined,
        ageS: 0,
        isSecured: false,
        isTraded: true,
        code: undefined,
        checks,
      });
      assert.equal(prediction, 'LEGIT', address);
    }
  });
});
