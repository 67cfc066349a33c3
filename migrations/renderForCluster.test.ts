import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readMigrations } from './migrate.ts';
import { renderForCluster } from './renderForCluster.ts';
import { SHARDING } from './sharding.ts';
import { splitStatements } from './statements.ts';

const TARGET = { cluster: 'tsd', database: 'db' };
const render = (sql: string): string[] => renderForCluster(sql, TARGET);
const STATEMENTS = (await readMigrations()).flatMap(({ sql }) => splitStatements(sql));

/** Sorting key of each table, as the migrations leave it. */
const sortingKeys = (): Map<string, string[]> => {
  const keys = new Map<string, string[]>();
  for (const statement of STATEMENTS) {
    const table = /^(?:CREATE TABLE IF NOT EXISTS|ALTER TABLE) (\w+)/.exec(statement)?.[1];
    const key = /ORDER BY \(?([^)\n]+)/.exec(statement)?.[1];
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
    const sql = `CREATE TABLE IF NOT EXISTS dim_tokens (
  chain_id UInt64 COMMENT 'Chain',
  token FixedString(20),
  version UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (chain_id, token)`;
    assert.deepEqual(render(sql), [
      `CREATE TABLE IF NOT EXISTS dim_tokens_local ON CLUSTER tsd (
  chain_id UInt64 COMMENT 'Chain',
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

  it('lets a view for people read over all shards', () => {
    const sql = 'CREATE VIEW IF NOT EXISTS tokens (\n  a UInt8\n) AS\nSELECT a FROM dim_tokens';
    assert.deepEqual(render(sql), [
      'CREATE VIEW IF NOT EXISTS tokens ON CLUSTER tsd (\n  a UInt8\n) AS\nSELECT a FROM dim_tokens',
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
    assert.throws(
      () => render('INSERT INTO alerts SELECT * FROM alerts'),
      /cannot be rendered for a cluster: INSERT/,
    );
    const unknown =
      'CREATE TABLE IF NOT EXISTS unheard (\n a UInt8\n)\nENGINE = MergeTree\nORDER BY a';
    assert.throws(() => render(unknown), /unheard: say in sharding.ts/);
  });

  it('renders every statement of the migrations', () => {
    assert.ok(STATEMENTS.length > 0);
    for (const statement of STATEMENTS) {
      const rendered = render(statement);
      assert.ok(rendered.length > 0, statement);
      for (const one of rendered) {
        assert.match(one, / ON CLUSTER tsd\b/);
        assert.doesNotMatch(one, /ENGINE = (?!Replicated|Distributed)/);
      }
    }
  });
});

describe('SHARDING', () => {
  it('sends all versions of a row to one shard: its columns are of the sorting key', () => {
    const keys = sortingKeys();
    assert.deepEqual([...keys.keys()].toSorted(), Object.keys(SHARDING).toSorted());
    for (const [table, columns] of Object.entries(SHARDING)) {
      const key = keys.get(table);
      assert.ok(key, `${table} is made by a migration`);
      for (const column of columns) assert.ok(key.includes(column), `${table}: ${column}`);
    }
  });
});
