import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { catalogueMetrics, metricsTable } from './metricCatalog.ts';

// Writes the table of METRICS.md again: make metrics

const file = join(projectRoot(), 'deploy/prometheus/METRICS.md');
const text = readFileSync(file, 'utf8');
const intro = text.slice(0, text.indexOf('| metric |'));
writeFileSync(file, `${intro}${metricsTable(catalogueMetrics())}\n`);
