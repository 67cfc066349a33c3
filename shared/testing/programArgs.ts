import { join } from 'node:path';
import { projectRoot } from '../platform/projectRoot.ts';

/**
 * What Node is started with to run a program of the project.
 * A test by itself runs the sources, which are never out of date. `make test` builds first and sets
 * `TEST_BUILD`, with which the programs are those that are deployed: they start in half the time.
 * @param source such as `api/main.ts`
 */
export const programArgs = (source: string): string[] =>
  process.env['TEST_BUILD'] === '1'
    ? [join(projectRoot(), 'dist', source.replace(/\.ts$/, '.js'))]
    : ['--import', 'tsx', join(projectRoot(), source)];
