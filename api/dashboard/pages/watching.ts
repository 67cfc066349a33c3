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
  definePages,
  type FieldErrors,
  goTo,
  show,
  showForm,
} from '../page.ts';
import { type Phrase, phrasesIn } from '../phrases.ts';
import { addressField, fieldErrors } from './fields.ts';

/** Finds the key families of an account. */
export interface FamilyPorts {
  readonly accounts: Pick<AccountStore, 'families'>;
  readonly keys: Pick<KeyStore, 'list'>;
}

/** Dependencies of pages about watchlists and alerts. */
export interface WatchingPorts extends FamilyPorts, AdditionPorts {
  readonly alerts: Alerts;
}

const ITEMS_SHOWN = 100;
const ALERTS_SHOWN = 50;

/** A key family of the account, named after its newest key. */
export type Family = Pick<KeyState, 'id' | 'family' | 'name' | 'tier' | 'display'>;

/**
 * A visit about one of the account's key families: watchlists, alerts and webhooks belong to a family because its
 * keys use them.
 */
export interface FamilyVisit extends AccountVisit {
  readonly families: readonly Family[];
  readonly chosen: Family;
}

/** The families of the account and the selected one: by default the first. */
const chooseFamily = async (ports: FamilyPorts, { by, query, form }: AccountVisit) => {
  const ids = await ports.accounts.families(by.account.id);
  const keys = await Promise.all(ids.map((family) => ports.keys.list(family)));
  const families = keys.flatMap((list) => list.slice(-1));
  const wanted = form.text('family') || query.text('family');
  const chosen = families.find(({ family }) => family === wanted) ?? families[0];
  return { families, chosen: wanted === '' || chosen?.family === wanted ? chosen : undefined };
};

/**
 * A page about a key family. @param otherwise the title of the page shown if the account has no family, or not the
 * requested one
 */
export const ofFamily =
  <Ports extends FamilyPorts>(
    otherwise: Phrase | ((visit: AccountVisit) => Answer),
    handle: (ports: Ports, visit: FamilyVisit) => Promise<Answer>,
  ) =>
  async (ports: Ports, visit: AccountVisit): Promise<Answer> => {
    const { families, chosen } = await chooseFamily(ports, visit);
    if (chosen) return handle(ports, { ...visit, families, chosen });
    return typeof otherwise === 'string' ? show('noKey', otherwise, {}) : otherwise(visit);
  };

const showWatchlist = async (
  ports: WatchingPorts,
  { families, chosen }: FamilyVisit,
  given: { address?: string; errors?: FieldErrors } = {},
): Promise<Answer> => {
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

const addSchema = z.object({
  address: addressField,
  type: z.enum(['token', 'wallet']),
  sensitivity: z.enum(SENSITIVITIES),
});

const addWatch = async (ports: WatchingPorts, visit: FamilyVisit): Promise<Answer> => {
  const { form } = visit;
  const address = form.text('address');
  const parsed = addSchema.safeParse({
    address,
    type: form.text('type'),
    sensitivity: form.text('sensitivity') || 'medium',
  });
  if (!parsed.success) {
    return showWatchlist(ports, visit, { address, errors: fieldErrors(parsed.error, visit) });
  }
  const { family, tier, id: keyId } = visit.chosen;
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
};

const removeWatch = async (
  ports: WatchingPorts,
  { chosen, params }: FamilyVisit,
): Promise<Answer> => {
  await ports.watchlist.remove(chosen.family, Number(params['id']) || 0);
  return goTo(`/dashboard/watchlist?family=${chosen.family}&done=removed`);
};

const showAlerts = async (ports: WatchingPorts, visit: FamilyVisit): Promise<Answer> => {
  const { families, chosen, query, nowMs } = visit;
  const { family } = chosen;
  const onlyUnread = query.text('unread') === 'true';
  const isRead = onlyUnread ? false : undefined;
  const found = await ports.alerts.list({ family, isRead, limit: ALERTS_SHOWN, offset: 0 });
  const data = { families, chosen, ...found, onlyUnread, nowMs };
  return show('alerts', 'alerts', data);
};

const readAlert = async (
  ports: WatchingPorts,
  { chosen, params }: FamilyVisit,
): Promise<Answer> => {
  await ports.alerts.markRead(chosen.family, Number(params['id']) || 0);
  return goTo(`/dashboard/alerts?family=${chosen.family}`);
};

/** Pages about watched addresses and their alerts. */
export const watchingPages = definePages<WatchingPorts>([
  [
    'account',
    'get',
    '/dashboard/watchlist',
    ofFamily('watchlist', showWatchlist),
    { section: 'watchlist' },
  ],
  ['account', 'post', '/dashboard/watchlist', ofFamily('watchlist', addWatch)],
  ['account', 'post', '/dashboard/watchlist/:id/remove', ofFamily('watchlist', removeWatch)],
  ['account', 'get', '/dashboard/alerts', ofFamily('alerts', showAlerts), { section: 'alerts' }],
  ['account', 'post', '/dashboard/alerts/:id/read', ofFamily('alerts', readAlert)],
]);
