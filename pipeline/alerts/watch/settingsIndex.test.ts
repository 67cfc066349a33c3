import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AlertOverrides, SettingsChanged } from '../../../shared/messages/settingsMessage.ts';
import { createSettingsIndex } from './settingsSource.ts';

const setup = () => {
  const stored = new Map<string, AlertOverrides>();
  let tell: (change: SettingsChanged) => void = () => undefined;
  let whileReading = (): void => undefined;
  const index = createSettingsIndex({
    listen: async (onChange) => {
      tell = onChange;
    },
    snapshot: async function* () {
      const page = [...stored].map(([family, overrides]) => ({ family, overrides }));
      whileReading();
      yield page;
    },
  });
  return {
    index,
    stored,
    tell: (family: string, overrides: AlertOverrides) => tell({ v: 1, family, overrides }),
    whileReading: (work: () => void) => {
      whileReading = work;
    },
  };
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
    const { index, tell } = setup();
    await index.load();
    tell('fam1', { min_severity: 'critical' });
    assert.deepEqual(index.of('fam1'), { min_severity: 'critical' });
    tell('fam1', {});
    assert.deepEqual(index.of('fam1'), {});
  });

  it('believes a change more than the page that was read when it came', async () => {
    const { index, stored, tell, whileReading } = setup();
    stored.set('fam1', { enabled: true });
    await index.load();
    whileReading(() => tell('fam1', { enabled: false }));
    await index.load();
    assert.deepEqual(index.of('fam1'), { enabled: false });
  });

  it('puts right with the next load what a lost change left wrong', async () => {
    const { index, stored } = setup();
    await index.load();
    stored.set('fam1', { enabled: false });
    await index.load();
    assert.deepEqual(index.of('fam1'), { enabled: false });
  });
});
