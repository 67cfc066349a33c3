import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';

const entrySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), path: z.string() }),
  z.object({ kind: z.literal('link'), path: z.string(), target: z.string() }),
  z.object({ kind: z.literal('file'), path: z.string(), base64: z.string() }),
]);

/** One thing in a folder, its path relative to it; a folder comes before what it holds. */
export type FolderEntry = z.infer<typeof entrySchema>;

const entriesIn = (root: string, folder: string): FolderEntry[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((found): FolderEntry[] => {
    const full = join(folder, found.name);
    const path = relative(root, full);
    if (found.isDirectory()) return [{ kind: 'folder', path }, ...entriesIn(root, full)];
    if (found.isSymbolicLink()) return [{ kind: 'link', path, target: readlinkSync(full) }];
    return [{ kind: 'file', path, base64: readFileSync(full).toString('base64') }];
  });

/** A folder of a few megabytes in one piece: its files, empty folders too, and links as they are. */
export const packFolder = (folder: string): Buffer =>
  gzipSync(JSON.stringify(entriesIn(folder, folder)));

/**
 * What `packFolder` packed.
 * @throws Error when the archive is cut off or damaged, which the checksum of gzip tells
 */
export const readPacked = (archive: Buffer): FolderEntry[] =>
  entrySchema.array().parse(JSON.parse(gunzipSync(archive).toString()));

/** Writes what was packed into an empty folder: files of its own, which share nothing with the archive. */
export const writeEntries = (entries: readonly FolderEntry[], folder: string): void => {
  for (const entry of entries) {
    const path = join(folder, entry.path);
    if (entry.kind === 'folder') mkdirSync(path);
    else if (entry.kind === 'link') symlinkSync(entry.target, path);
    else writeFileSync(path, Buffer.from(entry.base64, 'base64'));
  }
};
