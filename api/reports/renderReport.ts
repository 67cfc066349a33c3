import { createHash } from 'node:crypto';
import type { ReportDoc } from './report.ts';

/** Token names are untrusted text: they must not format, link or break a line. */
const escapeMarkdown = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]|#~]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** The lines of one section as a Markdown list. */
export const sectionMarkdown = (lines: readonly string[]): string =>
  lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n');

/** The whole report as Markdown. */
export const reportMarkdown = (doc: ReportDoc): string =>
  [
    `# ${escapeMarkdown(doc.title)}`,
    escapeMarkdown(doc.summary),
    ...doc.sections.map(
      ({ title, lines }) => `## ${escapeMarkdown(title)}\n\n${sectionMarkdown(lines)}`,
    ),
    '',
  ].join('\n\n');

const STYLE =
  'body{font:16px/1.5 sans-serif;max-width:46em;margin:2em auto;padding:0 1em;color:#111}' +
  'h1{font-size:1.6em}h2{font-size:1.2em;margin-top:1.5em;border-bottom:1px solid #999}' +
  'li{overflow-wrap:anywhere}@media print{body{margin:0;max-width:none}h2{break-after:avoid}}';

/** Nothing is loaded and no script runs; only the page's own style applies. */
export const REPORT_CSP = `default-src 'none'; style-src 'sha256-${createHash('sha256')
  .update(STYLE)
  .digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The whole report as one HTML page for screen and print. */
export const reportHtml = (doc: ReportDoc): string => {
  const sections = doc.sections.map(({ title, lines }) => {
    const items = lines.map((line) => `<li>${escapeHtml(line)}</li>`).join('\n');
    return `<section>\n<h2>${escapeHtml(title)}</h2>\n<ul>\n${items}\n</ul>\n</section>`;
  });
  return [
    '<!doctype html>',
    `<html lang="${doc.language}">`,
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(doc.title)}</title><style>${STYLE}</style></head>`,
    '<body>',
    `<h1>${escapeHtml(doc.title)}</h1>`,
    `<p>${escapeHtml(doc.summary)}</p>`,
    ...sections,
    '</body>',
    '</html>',
    '',
  ].join('\n');
};
