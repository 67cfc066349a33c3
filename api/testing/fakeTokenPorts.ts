import { foldText } from '../../shared/rules/foldText.ts';
import type { ServedRequest } from '../accounts/usage.ts';
import type { FeedbackItem } from '../feedback/feedback.ts';
import type { StoredReport } from '../reports/report.ts';
import type { Search, TermHit } from '../search/search.ts';
import type { AppPorts } from '../server/app.ts';
import type { Verdict } from '../tokens/verdict.ts';

const termHit = (verdict: Verdict, field: 'symbol' | 'name', folded: string): TermHit[] => {
  const term = foldText(verdict[field]);
  const length = Array.from(term).length;
  const hit = { token: verdict.token, field, length };
  if (term === folded) return [{ ...hit, place: 'exact' }];
  if (term.startsWith(folded)) return [{ ...hit, place: 'prefix' }];
  return term.includes(folded) && folded.length >= 3 ? [{ ...hit, place: 'inside' }] : [];
};

const createFakeSearch = (verdicts: readonly Verdict[]): Search => ({
  terms: async (folded) =>
    verdicts.flatMap((verdict) => [
      ...termHit(verdict, 'symbol', folded),
      ...termHit(verdict, 'name', folded),
    ]),
  tokensAt: async (digits) =>
    verdicts.map(({ token }) => token).filter((token) => token.startsWith(`0x${digits}`)),
  wallets: async () => ({ wallets: [], total: 0 }),
});

/** Ports of the operations on tokens, reports, feedback and usage, in memory. */
export const createFakeTokenPorts = (
  verdicts: readonly Verdict[],
  nowMs: number,
): Pick<AppPorts, 'history' | 'feedback' | 'usage' | 'reports' | 'search'> => {
  const feedback = new Map<string, FeedbackItem>();
  const reports = new Map<string, StoredReport>();
  const requests: ServedRequest[] = [];
  return {
    history: {
      list: async (token, { before, limit }) =>
        verdicts
          .filter((verdict) => verdict.token === token && !before)
          .map((verdict) => ({
            ...verdict,
            blockHash: verdict.doc.provenance.block_hash as `0x${string}`,
            horizonS: 0,
          }))
          .slice(0, limit),
      count: async (token) => verdicts.filter((verdict) => verdict.token === token).length,
    },
    feedback: {
      add: async (given) => {
        const id = `fb_${String(feedback.size + 1).padStart(26, '0')}`;
        const item: FeedbackItem = {
          ...given,
          id,
          status: 'open',
          resolution: null,
          createdAtMs: nowMs,
          resolvedAtMs: null,
        };
        feedback.set(`${given.family} ${id}`, item);
        return item;
      },
      find: async (family, id) => feedback.get(`${family} ${id}`),
    },
    usage: {
      record: (request) => void requests.push(request),
      hours: async (family) => {
        const own = requests.filter((request) => request.family === family);
        const errors = own.filter(({ status }) => status >= 400).length;
        const hourS = Math.floor(nowMs / 3_600_000) * 3_600;
        return own.length === 0 ? [] : [{ hourS, requests: own.length, errors }];
      },
    },
    reports: {
      find: async (family, id) => reports.get(`${family} ${id}`),
      save: async (family, report) => void reports.set(`${family} ${report.id}`, report),
    },
    search: createFakeSearch(verdicts),
  };
};
