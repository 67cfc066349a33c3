import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { generatedSources, generatedTables, withTable } from './tables.ts';

// Writes generated tables of documents, and the API's data about checks and alerts: make docs

for (const generated of generatedTables()) {
  const file = join(projectRoot(), generated.file);
  writeFileSync(file, withTable(readFileSync(file, 'utf8'), generated));
}
for (const [file, source] of Object.entries(generatedSources()))
  writeFileSync(join(projectRoot(), file), source);
