import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../shared/platform/projectRoot.ts';

/** SHA-256 of every released file: the first 16 digits. A release adds its new files. */
const RELEASED: Readonly<Record<string, string>> = {
  '0001_facts.sql': '722d966a3df5b956',
  '0002_tokens.sql': '3f5046ce71294911',
  '0003_verdicts.sql': '52fd28df868c0bf4',
  '0004_lists.sql': '61a38adea10a99c8',
  '0005_wallets_and_rings.sql': '66696c4c0b9e4144',
  '0006_alerts.sql': '88fa2d574c65ddf6',
  '0007_reports_and_usage.sql': 'ba64e57bf09f4cac',
  '0008_models.sql': 'c22c823acbc98efe',
};

describe('released migrations', () => {
  it('are never changed: a change of the schema is a file with the next number', () => {
    const here = Object.keys(RELEASED).map((name) => {
      const text = readFileSync(join(projectRoot(), 'migrations', name));
      return [name, createHash('sha256').update(text).digest('hex').slice(0, 16)];
    });
    assert.deepEqual(Object.fromEntries(here), RELEASED);
  });
});
