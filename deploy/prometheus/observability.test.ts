import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { catalogueMetrics } from './metricCatalog.ts';

const read = (path: string): string => readFileSync(join(projectRoot(), 'deploy', path), 'utf8');

const METRICS = new Map(catalogueMetrics().map((metric) => [metric.name, metric]));
/** Labels that Prometheus, a rule or the configuration of a process adds. */
const ADDED_LABELS: ReadonlySet<string> = new Set([
  'job',
  'instance',
  'chain',
  'le',
  'alertname',
  'alertstate',
  'severity',
]);
const RECORDED = [...read('prometheus/rules.yml').matchAll(/record: (\S+)/g)].map(
  ([, name]) => name,
);

/** Names of metrics in an expression, histograms without the suffixes of their series. */
const metricsOf = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:tsd|process|nodejs)_\w+/g)].map(([name]) => {
    const base = name.replace(/_(bucket|sum|count)$/, '');
    return METRICS.get(base)?.type === 'histogram' ? base : name;
  });

const recordedOf = (expression: string): string[] =>
  [...expression.matchAll(/\btsd:[\w:]+/g)].map(([name]) => name);

/** Labels by which an expression selects or groups, per metric. */
const labelsOf = (expression: string): string[] => [
  ...[...expression.matchAll(/[{,]\s*(\w+)\s*[=!]~?"/g)].map(([, label = '']) => label),
  ...[...expression.matchAll(/\b(?:by|on|ignoring) \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  ),
];

const assertKnown = (where: string, expression: string): void => {
  const used = metricsOf(expression);
  for (const name of used) assert.ok(METRICS.has(name), `${where}: no metric ${name}`);
  for (const name of recordedOf(expression)) {
    assert.ok(RECORDED.includes(name), `${where}: ${name} is not recorded`);
  }
  const labels = new Set(used.flatMap((name) => METRICS.get(name)?.labels ?? []));
  for (const label of labelsOf(expression).filter(Boolean)) {
    assert.ok(labels.has(label) || ADDED_LABELS.has(label), `${where}: no label ${label}`);
  }
};

const panelSchema = z.object({
  id: z.number().int(),
  type: z.enum(['row', 'timeseries', 'stat']),
  title: z.string().min(1),
  gridPos: z.object({ h: z.number(), w: z.number(), x: z.number(), y: z.number() }),
  datasource: z.object({ uid: z.literal('prometheus') }).optional(),
  targets: z
    .array(z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string() }))
    .default([]),
});
const dashboardSchema = z.object({
  uid: z.string(),
  title: z.string(),
  schemaVersion: z.number(),
  templating: z.object({ list: z.array(z.object({ name: z.literal('chain') }).passthrough()) }),
  panels: z.array(panelSchema),
});

const dashboard = dashboardSchema.parse(JSON.parse(read('grafana/dashboards/overview.json')));
const panelExpressions = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => ({ where: `panel ${title}`, expr })),
);

const rulesSchema = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ expr: z.string() }).passthrough()) })),
});
const alarmSchema = z
  .object({
    alert: z.string(),
    expr: z.string(),
    labels: z.object({ severity: z.string() }),
    annotations: z.object({ runbook_url: z.string() }),
  })
  .transform(({ alert: name, expr, labels, annotations }) => ({
    name,
    expr,
    severity: labels.severity,
    runbook: annotations.runbook_url,
  }));

const alarms = rulesSchema
  .parse(parse(read('prometheus/rules.yml')))
  .groups.flatMap(({ rules }) => rules.filter((rule) => 'alert' in rule))
  .map((rule) => alarmSchema.parse(rule));

describe('what is reported of the service', () => {
  it('names metrics by convention', () => {
    for (const { name, type, help } of METRICS.values()) {
      if (!name.startsWith('tsd_')) continue;
      assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`);
      assert.match(name, /^tsd_[a-z0-9_]+$/);
      assert.match(help, /\.$/, `${name}: help is a sentence`);
      assert.ok(!/_(ms|milliseconds|minutes)(_|$)/.test(name), `${name}: base units`);
    }
  });

  it('shows every metric of its own in the dashboard or in an alarm', () => {
    const recorded = read('prometheus/rules.yml');
    const used = new Set(
      [...panelExpressions.map(({ expr }) => expr), recorded].flatMap(metricsOf),
    );
    const unused = [...METRICS.keys()].filter((name) => name.startsWith('tsd_') && !used.has(name));
    assert.deepEqual(unused, []);
  });

  it('uses metrics and labels in panels that exist', () => {
    for (const { where, expr } of panelExpressions) assertKnown(where, expr);
  });

  it('uses metrics and labels in alarms that exist', () => {
    assert.ok(alarms.length > 0);
    for (const { name, expr } of alarms) assertKnown(`alarm ${name}`, expr);
  });

  it('has panels that do not lie over one another, each with an id of its own', () => {
    assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
    const taken = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          assert.ok(x < 24 && !taken.has(`${x},${y}`), `${title} lies over another panel`);
          taken.add(`${x},${y}`);
        }
      }
    }
  });

  it('says in the runbook what to do at every alarm, and at nothing else', () => {
    const sections = read('RUNBOOK.md').split(/^### /m).slice(1);
    const titles = sections.map((section) => section.split('\n')[0] ?? '');
    assert.deepEqual(titles.toSorted(), alarms.map(({ name }) => name).toSorted());
    for (const section of sections) {
      assert.match(section, /\*Means\*/, section);
      assert.match(section, /\*[Dd]o\*/, section);
    }
    for (const { name, severity, runbook } of alarms) {
      assert.equal(runbook, `deploy/RUNBOOK.md#${name.toLowerCase()}`);
      assert.ok(['page', 'ticket'].includes(severity), name);
    }
  });

  it('links within the runbook to sections that exist', () => {
    const text = read('RUNBOOK.md');
    for (const [, anchor] of text.matchAll(/\]\(#([a-z]+)\)/g)) {
      assert.ok(
        alarms.some(({ name }) => name.toLowerCase() === anchor),
        `#${anchor}`,
      );
    }
  });

  it('has the same alarms in the cases by which the rules are tested', () => {
    const cases = read('prometheus/alarms.test.yml');
    const tested = new Set([...cases.matchAll(/rings: (\w+)/g)].map(([, name = '']) => name));
    tested.delete('none');
    assert.deepEqual([...tested].toSorted(), alarms.map(({ name }) => name).toSorted());
  });
});
