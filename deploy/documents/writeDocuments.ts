import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { CHECK_QUESTIONS_FILE, checkQuestions, generatedTables, withTable } from './tables.ts';

// Writes what follows from the code, tables of documents and the questions of checks: make docs

for (const generated of generatedTables()) {
  const file = join(projectRoot(), generated.file);
  writeFileSync(file, withTable(readFileSync(file, 'utf8'), generated));
}
writeFileSync(join(projectRoot(), CHECK_QUESTIONS_FILE), checkQuestions());
