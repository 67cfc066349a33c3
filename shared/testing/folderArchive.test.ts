import assert from 'node:assert/strict';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { packFolder, readPacked, writeEntries } from './migratedClickhouse.ts';

describe('folder archive', () => {
  const BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  let root: string;
  let source: string;

  before(() => {
    root = mkdtempSync(join(tmpdir(), 'folder-archive-'));
    source = join(root, 'source');
    mkdirSync(join(source, 'store/empty'), { recursive: true });
    writeFileSync(join(source, 'store/bytes'), BYTES);
    writeFileSync(join(source, 'nothing'), '');
    symlinkSync('../store', join(source, 'store/link'));
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  it('gives back files, empty folders, and links that stay relative', () => {
    const target = join(root, 'target');
    mkdirSync(target);
    writeEntries(readPacked(packFolder(source)), target);
    const paths = (folder: string) =>
      new Set(readdirSync(folder, { encoding: 'utf8', recursive: true }));
    assert.deepEqual(paths(target), paths(source));
    assert.deepEqual(readFileSync(join(target, 'store/bytes')), BYTES);
    assert.equal(readlinkSync(join(target, 'store/link')), '../store');
  });

  it('shows every kind of damage before anything is written', () => {
    const archive = packFolder(source);
    const flipped = Buffer.from(archive);
    flipped.writeUInt8(flipped.readUInt8(archive.length >> 1) ^ 1, archive.length >> 1);
    for (const damaged of [flipped, archive.subarray(0, -1), Buffer.alloc(0)]) {
      assert.throws(() => readPacked(damaged));
    }
  });
});
