import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SettingsChanged } from '../messages/settingsMessage.ts';
import type { Clickhouse } from '../platform/clickhouse.ts';
import { createChannelChoices } from './channelChoices.ts';

const choice = (webhook: boolean): SettingsChanged => ({
  v: 1,
  family: 'fam',
  overrides: { channels: { webhook } },
});

/** Choices over a table that holds these settings; `during` is called while they are read. */
const setup = (settings: object, during: () => void = () => undefined) => {
  const query: Clickhouse['query'] = async (_sql, _params, row) => {
    during();
    return [row.parse({ family: 'fam', settings: JSON.stringify(settings) })];
  };
  return createChannelChoices({ query });
};

describe('channelChoices', () => {
  it('are those stored, then those changed', async () => {
    const choices = setup({ channels: { webhook: false } });
    await choices.load();
    assert.deepEqual(
      [choices.isOpen('fam', 'webhook'), choices.isOpen('fam', 'websocket')],
      [false, true],
    );
    choices.apply(choice(true));
    assert.ok(choices.isOpen('fam', 'webhook'));
    assert.ok(choices.isOpen('other', 'webhook'));
  });

  it('keep a change that comes while older ones are read', async () => {
    const choices = setup({}, () => choices.apply(choice(false)));
    await choices.load();
    assert.ok(!choices.isOpen('fam', 'webhook'));
  });
});
