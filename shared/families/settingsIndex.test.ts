import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AlertOverrides } from '../messages/settingsMessage.ts';
import { createSettingsIndex } from './alertSettingsStore.ts';

const setup = () => {
  const stored = new Map<string, AlertOverrides>();
  const index = createSettingsIndex({
    pages: async function* () {
      yield [...stored].map(([family, overrides]) => ({ family, overrides }));
    },
  });
  const apply = (family: string, overrides: AlertOverrides): void =>
    index.apply(JSON.stringify({ v: 1, family, overrides }));
  return { index, stored, apply };
};

describe('settingsIndex', () => {
  it('knows what was set before, and nothing of others', async () => {
    const { index, stored } = setup();
    stored.set('fam1', { enabled: false });
    await index.load();
    assert.deepEqual([index.of('fam1'), index.of('fam2')], [{ enabled: false }, {}]);
    assert.equal(index.size(), 1);
  });

  it('takes over each change at once', async () => {
    const { index, apply } = setup();
    await index.load();
    apply('fam1', { min_severity: 'critical' });
    assert.deepEqual(index.of('fam1'), { min_severity: 'critical' });
    apply('fam1', {});
    assert.deepEqual(index.of('fam1'), {});
  });

  it('puts right with the next load what a lost change left wrong', async () => {
    const { index, stored } = setup();
    await index.load();
    stored.set('fam1', { enabled: false });
    await index.load();
    assert.deepEqual(index.of('fam1'), { enabled: false });
  });
});
