import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { ALLOWED_LICENCES, shippedPackages } from './licences.ts';
import { generatedSources, generatedTables } from './tables.ts';

const ROOT = projectRoot();
/** Maximum files that a reader must open from a block to its verdict. */
const WALK_FILES_MAX = 20;
const FOLDERS = ['api', 'deploy', 'migrations', 'pipeline', 'shared'];

/** Every document of the project, as a path from its root. */
const documents = (): string[] =>
  [
    ...readdirSync(ROOT),
    ...FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      ),
    ),
  ].filter((name) => name.endsWith('.md'));

const textOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

/** Files that a document names in running text: `folder/of/file.ts`, from the root. */
const namedFiles = (text: string): string[] =>
  [...text.matchAll(/`((?:api|deploy|migrations|pipeline|shared)\/[\w./-]+\.\w+)`/g)].map(
    ([, path]) => path ?? '',
  );

/** Files that a document names relative to itself: `../of/file.ts`. */
const namedBeside = (text: string): string[] =>
  [...text.matchAll(/`(\.\.?\/[\w./-]+\.\w+)`/g)].map(([, path]) => path ?? '');

/** Targets of a document's links to other files, without the part after `#`. */
const linkedFiles = (text: string): string[] =>
  [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g)].map(([, path]) => path ?? '');

describe('documents', () => {
  it('name and link only files that are there', () => {
    const names = documents();
    assert.ok(names.length > 20, 'the documents were not found');
    const missing = names.flatMap((name) => {
      const text = textOf(name);
      const named = namedFiles(text).filter((path) => !existsSync(join(ROOT, path)));
      const linked = [...linkedFiles(text), ...namedBeside(text)].filter(
        (path) => !existsSync(join(ROOT, dirname(name), path)),
      );
      return [...named, ...linked].map((path) => `${name}: ${path}`);
    });
    assert.deepEqual(missing, []);
  });

  it('have the tables that follow from the code', () => {
    for (const { file, table } of generatedTables())
      assert.ok(textOf(file).includes(table), `${file}: run make docs`);
    for (const [file, source] of Object.entries(generatedSources()))
      assert.equal(textOf(file), source, 'run make docs');
  });

  it('are all reached from the README', () => {
    const reached = new Set<string>();
    const visit = (name: string): void => {
      if (reached.has(name)) return;
      reached.add(name);
      for (const path of linkedFiles(textOf(name))) {
        const target = join(dirname(name), path);
        if (target.endsWith('.md')) visit(target);
      }
    };
    visit('README.md');
    assert.deepEqual(
      documents().filter((name) => !reached.has(name)),
      [],
    );
  });
});

describe('the walk of a block in ARCHITECTURE.md', () => {
  it('leads from file to file: each but the first of a role is imported by one before it', () => {
    const [, walk = ''] =
      /^## A block, from .*\n([\s\S]*?)^The index of each API/m.exec(textOf('ARCHITECTURE.md')) ??
      [];
    const files = namedFiles(walk);
    assert.ok(files.length > 10 && files.length <= WALK_FILES_MAX, `${files.length} files`);
    const isImported = (path: string, by: string): boolean =>
      [...textOf(by).matchAll(/from '(\.[^']+)'/g)].some(
        ([, target = '']) => join(dirname(by), target) === path,
      );
    const apart = files.filter(
      (path, i) =>
        !path.endsWith('/run.ts') && !files.slice(0, i).some((by) => isImported(path, by)),
    );
    assert.deepEqual(apart, []);
  });
});

describe('what compose runs', () => {
  it('is in LICENCES.md, each server with its version', () => {
    const images = textOf('deploy/compose.yaml').matchAll(/image: (?:\S+\/)?([\w-]+):v?([\d.]+)/g);
    const servers = [...images].map(
      ([, name = '', version = '']) => `| ${name.replace('-server', '')} ${version}`,
    );
    assert.ok(servers.length >= 5, 'the images were not found');
    const licences = textOf('deploy/LICENCES.md').toLowerCase();
    assert.deepEqual(
      servers.filter((server) => !licences.includes(server)),
      [],
    );
  });
});

describe('what the image holds', () => {
  it('may be used commercially: every package has a licence that was allowed', () => {
    const packages = shippedPackages();
    assert.ok(packages.length > 100, 'the packages were not found');
    const others = packages.filter(({ licence }) => !ALLOWED_LICENCES.has(licence));
    assert.deepEqual(others, []);
  });

  it('has no contracts of Uniswap, some of which are under licences that forbid it: they are for tests', () => {
    const contracts = shippedPackages().filter(({ name }) => name.startsWith('@uniswap/'));
    assert.deepEqual(contracts, []);
  });
});
