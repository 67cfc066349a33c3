// Exits 0 when node_modules holds exactly the packages of package-lock.json. Runs before any package is there.
import { readFileSync } from 'node:fs';

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

try {
  const wanted = packagesOf('package-lock.json');
  const present = packagesOf('node_modules/.package-lock.json');
  delete wanted[''];
  // Optional packages of other platforms are in the lock file and not on the disk.
  const isMissing = Object.entries(wanted).some(([path, { integrity, optional }]) =>
    present[path] ? present[path].integrity !== integrity : !optional,
  );
  process.exit(isMissing || Object.keys(present).some((path) => !wanted[path]) ? 1 : 0);
} catch {
  process.exit(1);
}
