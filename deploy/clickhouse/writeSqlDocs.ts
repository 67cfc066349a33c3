import { readFileSync, writeFileSync } from 'node:fs';
import { createClickhouse } from '../../shared/platform/clickhouse.ts';
import { startMigratedClickhouse } from '../../shared/testing/migratedClickhouse.ts';
import { queryRows } from '../local/probes.ts';
import { fillSample, QUERY_MS_MAX, readColumns, renderDictionary, withAnswers } from './sqlDocs.ts';

// Writes VIEWS.md, and the answers in QUESTIONS.md: make sql-docs

const here = (name: string): URL => new URL(name, import.meta.url);
const service = await startMigratedClickhouse();
const database = createClickhouse({ url: service.url });
try {
  await fillSample(database);
  const ask = (sql: string) =>
    queryRows(service.analystUrl, sql, QUERY_MS_MAX, 'TabSeparatedWithNames');
  const questions = here('./QUESTIONS.md');
  writeFileSync(questions, await withAnswers(readFileSync(questions, 'utf8'), ask));
  writeFileSync(here('./VIEWS.md'), renderDictionary(await readColumns(ask)));
} finally {
  await database.close();
  await service.stop();
}
