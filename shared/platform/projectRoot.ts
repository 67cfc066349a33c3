import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder of the package: the nearest one upward from this file that holds a package.json.
 * The same for sources and for compiled files, so that assets (migrations, models) are found in both.
 */
export const projectRoot = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('no package.json above the program files');
    folder = parent;
  }
  return folder;
};
