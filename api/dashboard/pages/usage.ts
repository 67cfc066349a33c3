import type { AccountStore } from '../../accounts/accountStore.ts';
import type { AccountUsage, UsagePoint } from '../../accounts/accountUsage.ts';
import { type AccountVisit, type Answer, definePages, show } from '../page.ts';

/** Dependencies of the API usage pages. */
export interface UsagePorts {
  readonly accounts: Pick<AccountStore, 'families'>;
  readonly keyUsage: {
    read(families: readonly string[], nowS: number): Promise<AccountUsage>;
    /** By hour since `fromS` (Unix seconds), oldest first. */
    hours(families: readonly string[], fromS: number): Promise<UsagePoint[]>;
  };
}

const HOUR_S = 3_600;
const HOURS_SHOWN = 7 * 24;

/** One value for each hour shown, including hours without requests. */
const columnsOf = (points: readonly UsagePoint[], fromS: number) => {
  const byHour = new Map(points.map((point) => [point.atS, point]));
  const times = Array.from({ length: HOURS_SHOWN }, (_, index) => fromS + index * HOUR_S);
  const at = (time: number) => byHour.get(time) ?? { requests: 0, errors: 0, ms: 0 };
  return {
    times,
    requests: times.map((time) => at(time).requests),
    errors: times.map((time) => at(time).errors),
    averageMs: times.map((time) => {
      const { ms, requests } = at(time);
      return requests === 0 ? null : Math.round((ms / requests) * 10) / 10;
    }),
  };
};

const overview = async (ports: UsagePorts, { by, nowMs }: AccountVisit): Promise<Answer> => {
  const families = await ports.accounts.families(by.account.id);
  return show('usage', 'usage', {
    usage: await ports.keyUsage.read(families, Math.floor(nowMs / 1000)),
  });
};

const chart = async (ports: UsagePorts, { by, nowMs }: AccountVisit): Promise<Answer> => {
  const nowS = Math.floor(nowMs / 1000);
  const fromS = nowS - (nowS % HOUR_S) - (HOURS_SHOWN - 1) * HOUR_S;
  const families = await ports.accounts.families(by.account.id);
  const points = await ports.keyUsage.hours(families, fromS);
  return { kind: 'json', body: columnsOf(points, fromS) };
};

/** Pages about API usage. */
export const usagePages = definePages<UsagePorts>([
  ['account', 'get', '/dashboard/usage', overview, { section: 'usage' }],
  ['account', 'get', '/dashboard/usage/hours.json', chart],
]);
