import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectRoot } from '../../shared/platform/projectRoot.ts';

/**
 * Allowed licences of shipped packages: none forbids commercial use or requires publishing the source of programs
 * that use it.
 */
export const ALLOWED_LICENCES: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
  '(MIT OR CC0-1.0)',
  '(MPL-2.0 OR Apache-2.0)',
]);

/**
 * Packages whose package.json states no or no clear licence, with the licence in their licence file or repository.
 */
const UNNAMED: Readonly<Record<string, string>> = {
  decko: 'MIT',
  'htmx-ext-sse': '0BSD',
  only: 'MIT',
  stickyfill: 'MIT',
  'url-template': 'BSD-3-Clause',
};

const lockSchema = z.object({
  packages: z.record(
    z.object({
      version: z.string().optional(),
      license: z.string().optional(),
      dev: z.boolean().optional(),
      peer: z.boolean().optional(),
    }),
  ),
});
type LockedPackage = z.infer<typeof lockSchema>['packages'][string];

/** Packages that the Dockerfile deletes: nothing runs the compiler or uses types. */
const DELETED = /^node_modules\/(@?typescript|@types)(\/|$)/;

/** The packages of a lock file that are in the image, by path. */
export const packagesInImage = (lock: string): [path: string, LockedPackage][] =>
  Object.entries(lockSchema.parse(JSON.parse(lock)).packages).filter(
    ([path, { dev, peer }]) => path !== '' && !dev && !peer && !DELETED.test(path),
  );

/** Name, version and licence of every npm package in the image, by name; `unknown` if there is no licence. */
export const shippedPackages = (): {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
}[] => {
  const text = readFileSync(join(projectRoot(), 'package-lock.json'), 'utf8');
  return packagesInImage(text)
    .map(([path, { version = '', license }]) => {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return { name, version, licence: UNNAMED[name] ?? license ?? 'unknown' };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
};
