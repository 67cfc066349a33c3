import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import {
  FEATURE_NAMES,
  QUOTE_FEATURES,
  WALLET_FEATURES,
} from '../../../shared/messages/featureNames.ts';

it('FEATURES.md has name, formula, unit, source and time of every feature, in order', () => {
  const text = readFileSync(new URL('FEATURES.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  assert.deepEqual(
    cells.map(([, name = '']) => name.replaceAll('`', '')),
    [...FEATURE_NAMES, ...WALLET_FEATURES, ...QUOTE_FEATURES],
  );
  assert.ok(cells.every((row) => row.length === 7 && row.slice(1, 6).every((cell) => cell !== '')));
});
