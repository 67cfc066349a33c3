// Exits 1, and says so, where package.json does not name this version of Node, or the one given. Runs before any package is there, and on old versions too.
import { readFileSync } from 'node:fs';

const [version = process.versions.node] = process.argv.slice(2);
const [major, minor] = version.split('.').map(Number);
const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));

/** @param {string} range such as `^20.19.0` or `>=24.0.0`: package.json has no other form. */
const isIn = (range) => {
  const [lowestMajor, lowestMinor] = range.replace(/^\D+/, '').split('.').map(Number);
  if (major === lowestMajor) return minor >= lowestMinor;
  return range.startsWith('>=') && major > lowestMajor;
};

if (!engines.node.split(' || ').some(isIn)) {
  console.error(`Node ${version} is not supported: have one of ${engines.node} on PATH`);
  process.exit(1);
}
