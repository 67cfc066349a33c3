import { reportMarkdown, sectionMarkdown } from '../reports/renderReport.ts';
import type { StoredReport } from '../reports/report.ts';
import type { Report } from '../schema/report.ts';
import { isoTime } from './isoTime.ts';

/** A report as clients see it. */
export const presentReport = ({ id, address, generatedAtMs, doc }: StoredReport): Report => {
  const self = `/api/reports/${id}`;
  return {
    report_id: id,
    address,
    subject: doc.subject,
    language: doc.language,
    title: doc.title,
    verdict: doc.verdict,
    summary: doc.summary,
    sections: doc.sections.map(({ id: section, title, lines }) => ({
      id: section,
      title,
      markdown: sectionMarkdown(lines),
    })),
    markdown: reportMarkdown(doc),
    provenance: doc.provenance,
    generated_at: isoTime(generatedAtMs),
    urls: { self, html: `${self}?format=html`, pdf: null },
  };
};
