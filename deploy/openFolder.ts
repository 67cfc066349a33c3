import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage } from '../shared/platform/errors.ts';

const FOLDER_PROBLEMS: Readonly<Record<string, string>> = {
  EEXIST: 'is a file, not a folder',
  ENOTDIR: 'lies below a file',
  EACCES: 'may not be written to by this user',
  EROFS: 'is on a file system that cannot be written to',
};
const MODE_DEFAULT = 0o777;

/** Creates a folder and its parents individually: Node's own recursion never ends below /proc. */
const makeFolder = (path: string, mode: number): void => {
  if (existsSync(path)) return;
  makeFolder(dirname(path), mode);
  mkdirSync(path, { mode });
};

/**
 * Creates a folder chosen by a user if it does not exist. Throws an error with the reason if it cannot be used.
 * @param variable the variable that names the folder, such as STATE_DIR.
 * @param mode of the created folders.
 */
export const openFolder = (variable: string, folder: string, mode: number = MODE_DEFAULT): void => {
  try {
    makeFolder(folder, mode);
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error(), { code: 'EEXIST' });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    const reason = FOLDER_PROBLEMS[code] ?? `cannot be used (${errorMessage(error)})`;
    throw new Error(`${variable}: ${folder} ${reason}: choose another folder`, { cause: error });
  }
};
