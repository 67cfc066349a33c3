import { PUSH_EVENT_TYPES } from '../../../shared/events/pushEvent.ts';
import { type FindTarget, TargetRefusal } from '../../../shared/webhooks/targetAddress.ts';
import type { Plans } from '../../accounts/plans.ts';
import type { Webhooks } from '../../webhooks/webhook.ts';
import {
  type AccountVisit,
  type Answer,
  type FieldErrors,
  goTo,
  type Page,
  show,
  showForm,
} from '../page.ts';
import { notKnown } from './tokens.ts';
import { chooseFamily, type FamilyPorts, noKeyYet } from './watching.ts';

/** What pages about webhooks need. */
export interface WebhookPorts extends FamilyPorts {
  readonly webhooks: Webhooks;
  readonly plans: Plans;
  readonly findTarget: FindTarget;
}

const DELIVERIES_SHOWN = 50;
/** Events that can be chosen; tests are sent by hand. */
const CHOICES = PUSH_EVENT_TYPES.filter((event) => event !== 'webhook.test');

const showWebhooks = async (
  ports: WebhookPorts,
  visit: AccountVisit,
  given: { url?: string; errors?: FieldErrors } = {},
): Promise<Answer> => {
  const { families, chosen } = await chooseFamily(ports, visit);
  if (!chosen) return noKeyYet('Webhooks');
  const webhooks = await ports.webhooks.list(chosen.family);
  const { url = '', errors = {} } = given;
  const webhooksMax = ports.plans[chosen.tier].webhooks;
  const data = { families, chosen, webhooks, webhooksMax, events: CHOICES, url, errors };
  return showForm('webhooks', 'Webhooks', { ...data, nowMs: visit.nowMs });
};

const list = (ports: WebhookPorts): Page => ({
  method: 'get',
  path: '/dashboard/webhooks',
  access: 'account',
  handle: (visit) => showWebhooks(ports, visit),
});

/** Why events cannot be sent to an address; undefined where they can. */
const faultOf = async (ports: WebhookPorts, url: string): Promise<string | undefined> => {
  try {
    await ports.findTarget(url);
    return undefined;
  } catch (error) {
    if (!(error instanceof TargetRefusal)) throw error;
    return error.message;
  }
};

const create = (ports: WebhookPorts): Page => ({
  method: 'post',
  path: '/dashboard/webhooks',
  access: 'account',
  handle: async (visit) => {
    const { chosen } = await chooseFamily(ports, visit);
    if (!chosen) return noKeyYet('Webhooks');
    const url = visit.form.text('url').trim();
    const events = CHOICES.filter((event) => visit.form.all('events').includes(event));
    const fault = await faultOf(ports, url);
    if (fault !== undefined) return showWebhooks(ports, visit, { url, errors: { url: fault } });
    if (events.length === 0) {
      return showWebhooks(ports, visit, { url, errors: { events: 'choose at least one' } });
    }
    const webhooksMax = ports.plans[chosen.tier].webhooks;
    const choice = { url, events, description: null, filters: null };
    const made = await ports.webhooks.create(chosen.family, choice, webhooksMax);
    if (!made) {
      const errors = { form: `The plan of this key includes ${webhooksMax} webhooks.` };
      return showWebhooks(ports, visit, { url, errors });
    }
    return show('webhookSecret', 'Webhook secret', { ...made, chosen });
  },
});

const detail = (ports: WebhookPorts): Page => ({
  method: 'get',
  path: '/dashboard/webhooks/:id',
  access: 'account',
  handle: async (visit) => {
    const { chosen } = await chooseFamily(ports, visit);
    const webhookId = visit.params['id'] ?? '';
    const webhook = chosen && (await ports.webhooks.find(chosen.family, webhookId));
    if (!webhook || !chosen) return notKnown('webhook', visit);
    const { family } = chosen;
    const page = { family, webhookId, limit: DELIVERIES_SHOWN };
    const found = await ports.webhooks.deliveries(page);
    return show('webhook', 'Webhook', { webhook, chosen, ...found, nowMs: visit.nowMs });
  },
});

type Action = (
  ports: WebhookPorts,
  family: string,
  id: string,
  visit: AccountVisit,
) => Promise<unknown>;

const ACTIONS: Readonly<Record<string, Action>> = {
  test: (ports, family, id) => ports.webhooks.test(family, id),
  pause: (ports, family, id) => ports.webhooks.change(family, id, { status: 'paused' }),
  resume: (ports, family, id) => ports.webhooks.change(family, id, { status: 'active' }),
  redeliver: (ports, family, id, { form }) =>
    ports.webhooks.redeliver(family, id, form.text('delivery')),
};

const act = (ports: WebhookPorts): Page[] => [
  ...Object.entries(ACTIONS).map(
    ([name, action]): Page => ({
      method: 'post',
      path: `/dashboard/webhooks/:id/${name}`,
      access: 'account',
      handle: async (visit) => {
        const { chosen } = await chooseFamily(ports, visit);
        const id = visit.params['id'] ?? '';
        if (!chosen || !(await action(ports, chosen.family, id, visit)))
          return notKnown('webhook', visit);
        return goTo(`/dashboard/webhooks/${id}?family=${chosen.family}&done=${name}`);
      },
    }),
  ),
  {
    method: 'post',
    path: '/dashboard/webhooks/:id/rotate',
    access: 'account',
    handle: async (visit) => {
      const { chosen } = await chooseFamily(ports, visit);
      const made =
        chosen && (await ports.webhooks.rotateSecret(chosen.family, visit.params['id'] ?? ''));
      return made
        ? show('webhookSecret', 'Webhook secret', { ...made, chosen })
        : notKnown('webhook', visit);
    },
  },
  {
    method: 'post',
    path: '/dashboard/webhooks/:id/remove',
    access: 'account',
    handle: async (visit) => {
      const { chosen } = await chooseFamily(ports, visit);
      const isGone =
        chosen && (await ports.webhooks.remove(chosen.family, visit.params['id'] ?? ''));
      if (!isGone) return notKnown('webhook', visit);
      return goTo(`/dashboard/webhooks?family=${chosen.family}&done=removed`);
    },
  },
];

/** Pages about webhooks and their deliveries. */
export const webhookPages = (ports: WebhookPorts): Page[] => [
  list(ports),
  create(ports),
  detail(ports),
  ...act(ports),
];
