import { alertMessageSchema } from '../../../shared/messages/alertMessage.ts';
import { scoreMessageSchema } from '../../../shared/messages/scoreMessage.ts';
import { parseJson } from '../../../shared/platform/parseJson.ts';
import { riskLevel } from '../../../shared/rules/riskLevel.ts';
import type { Language } from '../../../shared/sentences/language.ts';
import type { AccountStore } from '../../accounts/accountStore.ts';
import type { Plans } from '../../accounts/plans.ts';
import { FORMATS } from '../formats.ts';
import type { LiveFeed, LiveMessage } from '../liveFeed.ts';
import { type AccountVisit, type Answer, definePages, inLanguageOf, show } from '../page.ts';
import { phrasesIn } from '../phrases.ts';
import type { Render } from '../render.ts';

/** Dependencies of the live feed. */
export interface FeedPorts {
  readonly feed: LiveFeed;
  readonly render: Render;
  readonly accounts: Pick<AccountStore, 'families'>;
}

interface PlanPorts {
  readonly plans: Plans;
  readonly isPlanEnforced: boolean;
}

/** What part of a page is rendered with. */
const wordsOf = (language: Language) => ({
  format: FORMATS[language],
  to: (path: string) => inLanguageOf({ language }, path),
  say: phrasesIn(language),
});

/** A row of the feed, rendered on the server: names of tokens reach the browser as escaped text only. */
const verdictRow = (
  render: Render,
  { text }: LiveMessage,
  language: Language,
): string | undefined => {
  const parsed = scoreMessageSchema.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  const { data } = parsed;
  const token = { ...data, level: riskLevel(data.riskScore), createdAtS: undefined };
  return render('parts/tokenRow', {
    token,
    nowMs: data.analyzedAtMs,
    isLive: true,
    ...wordsOf(language),
  });
};

const alertRow = (
  render: Render,
  { text }: LiveMessage,
  language: Language,
): string | undefined => {
  const parsed = alertMessageSchema.safeParse(parseJson(text));
  if (!parsed.success || parsed.data.state !== 'raised') return undefined;
  const { alert } = parsed.data;
  return render('parts/liveAlert', { alert, ...wordsOf(language) });
};

const feed = async (ports: FeedPorts, { by, language }: AccountVisit): Promise<Answer> => {
  const { render } = ports;
  const own = new Set(await ports.accounts.families(by.account.id));
  return {
    kind: 'events',
    start: ({ write, end }) => {
      const pass = (name: string, data: string | undefined): void => {
        if (data !== undefined) write({ name, data });
      };
      const onMessage = (message: LiveMessage): void => {
        const [kind, place = ''] = message.subject.split('.');
        if (kind === 'score') pass('verdict', verdictRow(render, message, language));
        if (kind === 'alert' && own.has(place)) pass('alert', alertRow(render, message, language));
      };
      return ports.feed.listen({ onMessage, end }) ?? (() => undefined);
    },
  };
};

const plans = async ({ plans: offered, isPlanEnforced }: PlanPorts): Promise<Answer> =>
  show('plans', 'plans', { plans: offered, isPlanEnforced });

/** The live feed, and the page of plans. */
export const feedPages = definePages<FeedPorts & PlanPorts>([
  ['account', 'get', '/dashboard/feed', feed],
  ['public', 'get', '/dashboard/plans', plans, { section: 'plans' }],
]);
