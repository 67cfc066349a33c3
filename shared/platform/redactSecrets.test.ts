import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redactSecrets } from './redactSecrets.ts';

describe('redactSecrets', () => {
  it('cuts out keys and webhook secrets, completely or in part, wherever they are', () => {
    const cases = [
      ['/tokens/tsd_live_0123456789/x', '/tokens/tsd_live_[redacted]/x'],
      ['a tsd_test_Zz, b tsd_live_A', 'a tsd_test_[redacted], b tsd_live_[redacted]'],
      ['{"secret":"whsec_C2FV+b/5s=="}', '{"secret":"whsec_[redacted]"}'],
      ['tsd_live_ and whsec_ alone', 'tsd_live_ and whsec_ alone'],
      ['0x1f981f981f981f981f981f981f981f981f981f98', '0x1f981f981f981f981f981f981f981f981f981f98'],
    ];
    for (const [text = '', expected] of cases) assert.equal(redactSecrets(text), expected);
  });
});
