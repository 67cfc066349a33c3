import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';
import { loadContractModel } from '../model/loadModel.ts';
import { OPCODE_NAMES, opcodeHistogram, opcodeShares } from '../model/opcodeHistogram.ts';
import { codeContributions, isScorable, TRAPDOOR_SHARE } from './decide.ts';

/** Few codes at random look like a trapdoor. */
const CODES = 1_500;

describe('evidence of contract code', () => {
  it('starts from the share of trapdoors in the training data', () => {
    const path = join(projectRoot(), 'pipeline/scorer/model/contractArtifacts/card.json');
    const { trainShare } = JSON.parse(readFileSync(path, 'utf8')) as { trainShare: number };
    assert.equal(TRAPDOOR_SHARE, trainShare);
  });

  it('adds up to half of what exceeds that share, whatever the code, and is never below nothing', async () => {
    const model = await loadContractModel();
    let state = 7;
    const random = (): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const codes = Array.from({ length: CODES }, () =>
      Float64Array.from(OPCODE_NAMES, () => (random() < 0.9 ? Math.floor(random() ** 4 * 300) : 0)),
    );
    const prior = Math.log(TRAPDOOR_SHARE / (1 - TRAPDOOR_SHARE));
    let accused = 0;
    for (const output of await model.predict(codes.map(opcodeShares))) {
      const parts = Object.values(codeContributions(output));
      const sum = parts.reduce((total, value) => total + value, 0);
      const wanted = Math.max(0, 0.5 * (output.margin - prior));
      assert.ok(Math.abs(sum - wanted) < 1e-6, `${sum} instead of ${wanted}`);
      if (sum > 0) accused += 1;
      else assert.deepEqual(parts, []);
    }
    assert.ok(accused > 0 && accused < CODES, `${accused} of ${CODES}`);
  });

  it('judges no code of compilers it has not seen', () => {
    assert.equal(isScorable(opcodeHistogram('0x6080604052348015f3')), true);
    assert.equal(isScorable(opcodeHistogram('0x5f5f5f5f60806040')), false);
  });
});
