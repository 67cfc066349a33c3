import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../shared/runtime/projectRoot.ts';
import { renderForCluster } from './renderForCluster.ts';
import { SHARDING } from './sharding.ts';

const TARGET = { cluster: 'tsd', database: 'db' };
const render = (sql: string): string[] => renderForCluster(sql, TARGET);
const FOLDER = join(projectRoot(), 'migrations');
const MIGRATIONS = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sql'))
  .toSorted()
  .map((name) => ({ name, sql: readFileSync(join(FOLDER, name), 'utf8') }));

/** Sorting key of each table, as the migrations leave it. */
const sortingKeys = (): Map<string, string[]> => {
  const keys = new Map<string, string[]>();
  for (const { sql } of MIGRATIONS) {
    const table = /^(?:CREATE TABLE IF NOT EXISTS|ALTER TABLE) (\w+)/m.exec(sql)?.[1];
    const key = /ORDER BY \(?([^)\n]+)/.exec(sql)?.[1];
    if (table && key)
      keys.set(
        table,
        key.split(',').map((column) => column.trim()),
      );
  }
  return keys;
};

describe('renderForCluster', () => {
  it('makes of a table a replicated one in each shard, and one over all shards', () => {
    const sql = `-- Why it is there.
CREATE TABLE IF NOT EXISTS dim_tokens (
  chain_id UInt64,
  token FixedString(20),
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (chain_id, token)`;
    assert.deepEqual(render(sql), [
      `CREATE TABLE IF NOT EXISTS dim_tokens_local ON CLUSTER tsd (
  chain_id UInt64,
  token FixedString(20),
  version UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', version)
ORDER BY (chain_id, token)`,
      `CREATE TABLE IF NOT EXISTS dim_tokens ON CLUSTER tsd AS dim_tokens_local
ENGINE = Distributed('tsd', 'db', 'dim_tokens_local', cityHash64(chain_id, token))`,
    ]);
  });

  it('keeps the ledger whole on every server', () => {
    const [whole, ...rest] = render(
      'CREATE TABLE IF NOT EXISTS schema_migrations (\n name String\n) ENGINE = ReplacingMergeTree(applied_at) ORDER BY name',
    );
    assert.deepEqual(rest, []);
    assert.match(
      whole ?? '',
      /'\/clickhouse\/tables\/all\/{database}\/{table}', '{shard}-{replica}'/,
    );
  });

  it('lets a view of a shard read and fill tables of that shard', () => {
    const [view, ...rest] = render(
      'CREATE MATERIALIZED VIEW IF NOT EXISTS v TO token_states AS\nSELECT a FROM token_verdicts JOIN dim_tokens USING a',
    );
    assert.deepEqual(rest, []);
    assert.equal(
      view,
      'CREATE MATERIALIZED VIEW IF NOT EXISTS v ON CLUSTER tsd TO token_states_local AS\nSELECT a FROM token_verdicts_local JOIN dim_tokens_local USING a',
    );
  });

  it('lets a view for people read over all shards', () => {
    assert.deepEqual(render('CREATE VIEW IF NOT EXISTS tokens AS\nSELECT a FROM dim_tokens'), [
      'CREATE VIEW IF NOT EXISTS tokens ON CLUSTER tsd AS\nSELECT a FROM dim_tokens',
    ]);
  });

  it('changes columns everywhere, keys and settings in the shards alone', () => {
    assert.deepEqual(
      render(
        'ALTER TABLE alerts\n  ADD COLUMN IF NOT EXISTS a UInt8,\n  MODIFY ORDER BY (family, a)',
      ),
      [
        'ALTER TABLE alerts_local ON CLUSTER tsd\n  ADD COLUMN IF NOT EXISTS a UInt8,\n  MODIFY ORDER BY (family, a)',
        'ALTER TABLE alerts ON CLUSTER tsd ADD COLUMN IF NOT EXISTS a UInt8',
      ],
    );
    assert.deepEqual(render('ALTER TABLE alerts\n  MODIFY COLUMN a CODEC(LZ4)'), [
      'ALTER TABLE alerts_local ON CLUSTER tsd\n  MODIFY COLUMN a CODEC(LZ4)',
    ]);
    assert.deepEqual(render('ALTER TABLE alerts MODIFY SETTING a = 1'), [
      'ALTER TABLE alerts_local ON CLUSTER tsd MODIFY SETTING a = 1',
    ]);
  });

  it('drops views, and tables with their parts', () => {
    assert.deepEqual(render('DROP TABLE IF EXISTS some_view, alerts'), [
      'DROP TABLE IF EXISTS some_view ON CLUSTER tsd SYNC',
      'DROP TABLE IF EXISTS alerts ON CLUSTER tsd SYNC',
      'DROP TABLE IF EXISTS alerts_local ON CLUSTER tsd SYNC',
    ]);
  });

  it('refuses what it does not know', () => {
    assert.throws(() => render('DROP TABLE alerts'), /cannot be rendered for a cluster: DROP/);
    const unknown =
      'CREATE TABLE IF NOT EXISTS unheard (\n a UInt8\n)\nENGINE = MergeTree\nORDER BY a';
    assert.throws(() => render(unknown), /unheard: say in sharding.ts/);
  });

  for (const { name, sql } of MIGRATIONS) {
    it(`renders ${name}`, () => {
      const statements = render(sql);
      assert.ok(statements.length > 0);
      for (const statement of statements) {
        if (statement.startsWith('INSERT')) continue;
        assert.match(statement, / ON CLUSTER tsd\b/);
        assert.doesNotMatch(statement, /ENGINE = (?!Replicated|Distributed)/);
        assert.doesNotMatch(statement, /POPULATE/);
      }
    });
  }
});

describe('SHARDING', () => {
  it('sends all versions of a row to one shard: its columns are of the sorting key', () => {
    const keys = sortingKeys();
    for (const [table, columns] of Object.entries(SHARDING)) {
      if (columns === 'views') continue;
      const key = keys.get(table);
      assert.ok(key, `${table} is made by a migration`);
      for (const column of columns) assert.ok(key.includes(column), `${table}: ${column}`);
    }
  });
});
