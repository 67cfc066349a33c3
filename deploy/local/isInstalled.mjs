// Exits 0 when node_modules holds exactly the packages of package-lock.json. Runs before any package is there.
import { readFileSync } from 'node:fs';

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

try {
  const wanted = packagesOf('package-lock.json');
  const present = packagesOf('node_modules/.package-lock.json');
  delete wanted[''];
  // Optional packages are for some platforms only: on the disk without being in the lock file, or the reverse.
  const isMissing = Object.entries(wanted).some(([path, { integrity, optional }]) =>
    present[path] ? present[path].integrity !== integrity : !optional,
  );
  const isLeftOver = Object.entries(present).some(
    ([path, { optional }]) => !wanted[path] && !optional,
  );
  process.exit(isMissing || isLeftOver ? 1 : 0);
} catch {
  process.exit(1);
}
