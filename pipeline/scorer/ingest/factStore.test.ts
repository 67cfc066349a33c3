import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROTOCOLS } from '../../../shared/chain/protocol.ts';
import { projectRoot } from '../../../shared/platform/projectRoot.ts';

// The columns of facts are tested in `markets.integration.test.ts`.
test('both tables of markets number protocols as rows of facts do', () => {
  const folder = join(projectRoot(), 'migrations');
  const columns = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .flatMap((sql) => sql.match(/\bprotocol Enum8\([^)]*\)/g) ?? []);
  const unknown = PROTOCOLS.filter(
    (name, i) => columns.filter((one) => one.includes(`'${name}' = ${i + 1}`)).length < 2,
  );
  assert.deepEqual(unknown, [], 'add a migration');
});
