import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectRoot } from '../shared/platform/projectRoot.ts';

const packageSchema = z.object({ version: z.string() });

/** The version of this code: of a release, or the next one with `-dev` during development. */
export const packageVersion = (): string =>
  packageSchema.parse(JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8')))
    .version;
