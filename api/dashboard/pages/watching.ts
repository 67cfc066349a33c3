import { z } from 'zod';
import { SENSITIVITIES } from '../../../shared/messages/watchMessage.ts';
import type { AccountStore } from '../../accounts/accountStore.ts';
import type { KeyState, KeyStore } from '../../accounts/keyStore.ts';
import type { Alerts } from '../../alerts/createAlerts.ts';
import { ApiError } from '../../server/apiError.ts';
import { type AdditionPorts, addToWatchlist } from '../../watchlist/routes.ts';
import {
  type AccountVisit,
  type Answer,
  type FieldErrors,
  goTo,
  type Page,
  show,
  showForm,
} from '../page.ts';
import { type Phrase, phrasesIn } from '../phrases.ts';
import { addressField, fieldErrors } from './fields.ts';

/** What finds the key families of an account. */
export interface FamilyPorts {
  readonly accounts: Pick<AccountStore, 'families'>;
  readonly keys: Pick<KeyStore, 'list'>;
}

/** What pages about watchlists and alerts need. */
export interface WatchingPorts extends FamilyPorts, AdditionPorts {
  readonly alerts: Alerts;
}

const ITEMS_SHOWN = 100;
const ALERTS_SHOWN = 50;

/** A key family of the account, named after its newest key. */
export type Family = Pick<KeyState, 'id' | 'family' | 'name' | 'tier' | 'display'>;

/**
 * The families of the account and the one the page is about: watchlists, alerts and webhooks belong to a
 * family of keys, because the keys use them.
 */
export const chooseFamily = async (
  ports: FamilyPorts,
  { by, query, form }: AccountVisit,
): Promise<{ families: Family[]; chosen: Family | undefined }> => {
  const ids = await ports.accounts.families(by.account.id);
  const keys = await Promise.all(ids.map((family) => ports.keys.list(family)));
  const families = keys.flatMap((list) => list.slice(-1));
  const wanted = form.text('family') || query.text('family');
  const chosen = families.find(({ family }) => family === wanted) ?? families[0];
  return { families, chosen: wanted === '' || chosen?.family === wanted ? chosen : undefined };
};

/** Pages about a family need one: without any key there is nothing to show. */
export const noKeyYet = (title: Phrase): Answer => show('noKey', title, {});

const showWatchlist = async (
  ports: WatchingPorts,
  visit: AccountVisit,
  given: { address?: string; errors?: FieldErrors } = {},
): Promise<Answer> => {
  const { families, chosen } = await chooseFamily(ports, visit);
  if (!chosen) return noKeyYet('watchlist');
  const { family, tier } = chosen;
  const list = await ports.watchlist.list({ family, limit: ITEMS_SHOWN, offset: 0 });
  const { address = '', errors = {} } = given;
  const { watchlistItems: itemsMax } = ports.plans[tier];
  const data = {
    families,
    chosen,
    ...list,
    itemsMax,
    address,
    errors,
    sensitivities: SENSITIVITIES,
  };
  return showForm('watchlist', 'watchlist', data);
};

const watchlist = (ports: WatchingPorts): Page => ({
  method: 'get',
  path: '/dashboard/watchlist',
  access: 'account',
  handle: (visit) => showWatchlist(ports, visit),
});

const addSchema = z.object({
  address: addressField,
  type: z.enum(['token', 'wallet']),
  sensitivity: z.enum(SENSITIVITIES),
});

const addWatch = (ports: WatchingPorts): Page => ({
  method: 'post',
  path: '/dashboard/watchlist',
  access: 'account',
  handle: async (visit) => {
    const { form } = visit;
    const { chosen } = await chooseFamily(ports, visit);
    if (!chosen) return noKeyYet('watchlist');
    const address = form.text('address');
    const parsed = addSchema.safeParse({
      address,
      type: form.text('type'),
      sensitivity: form.text('sensitivity') || 'medium',
    });
    if (!parsed.success) {
      return showWatchlist(ports, visit, { address, errors: fieldErrors(parsed.error, visit) });
    }
    const { family, tier, id: keyId } = chosen;
    try {
      await addToWatchlist(ports, parsed.data, { keyId, family, tier });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const say = phrasesIn(visit.language);
      const n = ports.plans[tier].watchlistItems;
      const isKnown = error.options.status === 409;
      const errors = { form: isKnown ? say('alreadyWatched') : say('watchlistFull', { n }) };
      return showWatchlist(ports, visit, { address, errors });
    }
    return goTo(`/dashboard/watchlist?family=${family}&done=watching`);
  },
});

const removeWatch = (ports: WatchingPorts): Page => ({
  method: 'post',
  path: '/dashboard/watchlist/:id/remove',
  access: 'account',
  handle: async (visit) => {
    const { chosen } = await chooseFamily(ports, visit);
    if (!chosen) return noKeyYet('watchlist');
    await ports.watchlist.remove(chosen.family, Number(visit.params['id']) || 0);
    return goTo(`/dashboard/watchlist?family=${chosen.family}&done=removed`);
  },
});

const alerts = (ports: WatchingPorts): Page => ({
  method: 'get',
  path: '/dashboard/alerts',
  access: 'account',
  handle: async (visit) => {
    const { families, chosen } = await chooseFamily(ports, visit);
    if (!chosen) return noKeyYet('alerts');
    const { family } = chosen;
    const onlyUnread = visit.query.text('unread') === 'true';
    const isRead = onlyUnread ? false : undefined;
    const found = await ports.alerts.list({ family, isRead, limit: ALERTS_SHOWN, offset: 0 });
    const data = { families, chosen, ...found, onlyUnread, nowMs: visit.nowMs };
    return show('alerts', 'alerts', data);
  },
});

const readAlert = (ports: WatchingPorts): Page => ({
  method: 'post',
  path: '/dashboard/alerts/:id/read',
  access: 'account',
  handle: async (visit) => {
    const { chosen } = await chooseFamily(ports, visit);
    if (!chosen) return noKeyYet('alerts');
    await ports.alerts.markRead(chosen.family, Number(visit.params['id']) || 0);
    return goTo(`/dashboard/alerts?family=${chosen.family}`);
  },
});

/** Pages about what is watched and what became of it. */
export const watchingPages = (ports: WatchingPorts): Page[] => [
  watchlist(ports),
  addWatch(ports),
  removeWatch(ports),
  alerts(ports),
  readAlert(ports),
];
