import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { generatedTables, withTable } from './tables.ts';

// Writes the tables of documents that follow from the code: make docs

for (const generated of generatedTables()) {
  const file = join(projectRoot(), generated.file);
  writeFileSync(file, withTable(readFileSync(file, 'utf8'), generated));
}
