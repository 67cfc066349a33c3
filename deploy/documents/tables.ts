import { RULES } from '../../pipeline/alerts/rules/allRules.ts';
import type { Rule } from '../../pipeline/alerts/rules/rule.ts';
import { CHECKS } from '../../pipeline/scorer/checks/checks.ts';
import { FRAMEWORKS } from '../../pipeline/scorer/contract/frameworks/frameworkCatalogue.ts';
import {
  CREATOR_FEATURES,
  type FeatureGroup,
  LIQUIDITY_FEATURES,
  MARKET_FEATURES,
  QUOTE_FEATURES,
  WALLET_FEATURES,
} from '../../shared/messages/featureNames.ts';
import { groupBy } from '../../shared/platform/groupBy.ts';
import { catalogueMetrics, metricsTable } from '../prometheus/metricCatalog.ts';
import { shippedPackages } from './licences.ts';

/** A generated table of a document. */
export interface GeneratedTable {
  /** Path from the project's root. */
  readonly file: string;
  /** The table in Markdown, without a trailing line break. */
  readonly table: string;
}

/** A table with one line per row; `|` inside a cell is escaped. */
const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
};

const alertRules = (): string =>
  tableOf(
    [
      'type',
      'looks at',
      'strength, compared with the threshold',
      'thresholds of sensitivity low / medium / high',
      'severity and recommendation',
      'not detected',
    ],
    RULES.map(({ type, looksAt, strength, presets = '', severity, notDetected = '' }) => [
      `\`${type}\``,
      looksAt,
      strength,
      presets,
      severity,
      notDetected,
    ]),
  );

const checks = (): string =>
  tableOf(
    ['check', 'fails if', 'severity'],
    [...CHECKS.values()].map(({ id, failsIf, severity }) => [`\`${id}\``, failsIf, severity]),
  );

/** A table of features and of their groups, with each group's main source. */
const features = (what: string, groups: readonly (readonly [FeatureGroup, string])[]): string => {
  const rows = groups.flatMap(([group, usual]) =>
    Object.entries(group).map(([name, [formula, unit, since = 'first Sync', source = usual]]) => [
      `\`${name}\``,
      formula,
      unit,
      source,
      since,
    ]),
  );
  return tableOf([what, 'formula', 'unit', 'source', 'known since'], rows);
};

const featureTables = (): string[] => [
  features('feature', [
    [MARKET_FEATURES, 'Sync'],
    [LIQUIDITY_FEATURES, 'transfers of the liquidity token'],
    [CREATOR_FEATURES, "creator of the token or pair, Syncs of the creator's pools"],
  ]),
  features('feature of holders and creator', [[WALLET_FEATURES, 'transfers of the token']]),
  features('price or depth', [[QUOTE_FEATURES, 'events of the market, transfers']]),
];

const frameworks = (): string =>
  tableOf(
    ['framework', 'needed', 'marks', 'source'],
    FRAMEWORKS.map(
      ({ name, needed, source, functions = [], errors = [], texts = [], constants = [] }) => [
        name,
        String(needed),
        [...functions, ...errors, ...texts.map((text) => `“${text}”`), ...constants]
          .map((mark) => `\`${mark}\``)
          .join(' '),
        source,
      ],
    ),
  );

const licences = (): string =>
  tableOf(
    ['licence', 'npm packages in the image'],
    [...groupBy(shippedPackages(), ({ licence }) => licence)].map(([licence, packages]) => [
      licence,
      packages.map(({ name, version }) => `${name} ${version}`).join(', '),
    ]),
  );

/** The questions of checks for the API, which shares no code with the scorer. */
const checkQuestions = (): string => {
  const rows = [...CHECKS.values()].flatMap(({ id, question }) =>
    question ? [`  ${id}: ${JSON.stringify(question)},`] : [],
  );
  return [
    "import type { CheckQuestion } from '../checkQuestion.ts';",
    '',
    '/** The question that each check answers, by its id. Made by `make docs` from the definitions of checks; do not edit. */',
    'export const CHECK_QUESTIONS: Readonly<Record<string, CheckQuestion>> = {',
    ...rows,
    '};',
    '',
  ].join('\n');
};

/** The types of alerts for all roles. */
const alertTypes = (): string => {
  const typesOf = (kind: Rule['watchedAs']): string =>
    JSON.stringify(RULES.filter(({ watchedAs }) => watchedAs === kind).map(({ type }) => type));
  return [
    '/** Types of alerts, in the order in which the API lists them. Made by `make docs` from the rules of alerts; do not edit. */',
    `export const ALERT_TYPES = ${JSON.stringify(RULES.map(({ type }) => type))} as const;`,
    '/** Those that only wallets or only tokens raise. */',
    `export const RAISED_BY = { wallet: ${typesOf('wallet')}, token: ${typesOf('token')} } as const;`,
    '',
  ].join('\n');
};

/** Source files that are generated, by their paths from the project's root. */
export const generatedSources = (): Readonly<Record<string, string>> => ({
  'shared/rules/artifacts/alertTypes.ts': alertTypes(),
  'shared/rules/artifacts/checkQuestions.ts': checkQuestions(),
});

/** Every generated table: `make docs` writes them, a test compares them. */
export const generatedTables = (): GeneratedTable[] => [
  { file: 'deploy/prometheus/METRICS.md', table: metricsTable(catalogueMetrics()) },
  { file: 'deploy/LICENCES.md', table: licences() },
  { file: 'pipeline/alerts/ALERTS.md', table: alertRules() },
  { file: 'pipeline/scorer/checks/CHECKS.md', table: checks() },
  { file: 'pipeline/scorer/contract/frameworks/FRAMEWORKS.md', table: frameworks() },
  ...featureTables().map((table) => ({ file: 'pipeline/scorer/features/FEATURES.md', table })),
];

/** The text with the table in place of the one with the same header. @throws Error if there is none. */
export const withTable = (text: string, { file, table }: GeneratedTable): string => {
  const head = table.slice(0, table.indexOf('\n'));
  const from = text.indexOf(head);
  if (from === -1) throw new Error(`${file} has no table that begins with ${head}`);
  const rest = text.slice(from);
  const end = rest.search(/\n(?!\|)/);
  return `${text.slice(0, from)}${table}${end === -1 ? '' : rest.slice(end)}`;
};
