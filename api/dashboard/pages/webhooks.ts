import { PUSH_EVENT_TYPES } from '../../../shared/events/pushEvent.ts';
import { LANGUAGES } from '../../../shared/sentences/language.ts';
import { DIGESTS, WEBHOOK_KINDS, type WebhookKind } from '../../../shared/webhooks/webhook.ts';
import type { Plans } from '../../accounts/plans.ts';
import type { z } from '../../server/schema.ts';
import {
  changeWebhook,
  type RegisterPorts,
  registerWebhook,
} from '../../webhooks/registerWebhook.ts';
import { answeringFaults } from '../../webhooks/routes.ts';
import { newWebhookSchema } from '../../webhooks/schema.ts';
import { FIELDS_OF_KIND, TargetFault } from '../../webhooks/target.ts';
import { faultIn } from '../faults.ts';
import {
  type AccountVisit,
  type Answer,
  definePages,
  type FieldErrors,
  goTo,
  show,
  showForm,
} from '../page.ts';
import { phrasesIn } from '../phrases.ts';
import { notKnown } from './tokens.ts';
import { type FamilyPorts, type FamilyVisit, ofFamily } from './watching.ts';

/** Dependencies of pages about webhooks. */
export interface WebhookPorts extends FamilyPorts, RegisterPorts {
  readonly plans: Plans;
}

const DELIVERIES_SHOWN = 50;
/** Events that can be chosen; tests are sent by hand. */
const CHOICES = PUSH_EVENT_TYPES.filter((event) => event !== 'webhook.test');

/** The values typed so far, so that they need not be typed again; secrets are not shown. */
const KEPT = [
  'kind',
  'url',
  'chat_id',
  'email',
  'language',
  'digest',
  'from',
  'to',
  'timezone',
] as const;
type Typed = Readonly<Partial<Record<(typeof KEPT)[number], string>>> & {
  readonly events?: readonly string[];
};

const showWebhooks = async (
  ports: WebhookPorts,
  { families, chosen, by, nowMs }: FamilyVisit,
  given: { typed?: Typed; errors?: FieldErrors } = {},
): Promise<Answer> => {
  const webhooks = await ports.webhooks.list(chosen.family);
  const { typed = {}, errors = {} } = given;
  const webhooksMax = ports.plans[chosen.tier].webhooks;
  const choices = { events: CHOICES, kinds: WEBHOOK_KINDS, digests: DIGESTS, languages: LANGUAGES };
  const data = { families, chosen, webhooks, webhooksMax, ...choices, typed, errors };
  return showForm('webhooks', 'webhooks', { ...data, ownEmail: by.account.email, nowMs });
};

/** The form's values as an API body: fields of other kinds are left out. */
const bodyOf = ({ form }: AccountVisit): Record<string, unknown> => {
  const filled = (name: string): string | undefined => form.text(name).trim() || undefined;
  const kind = filled('kind') ?? 'webhook';
  const fields = FIELDS_OF_KIND[kind as WebhookKind] ?? [];
  const target = fields.map((field) => [field, filled(field)] as const);
  const events = CHOICES.filter((event) => form.all('events').includes(event));
  const body = { kind, ...Object.fromEntries(target), events };
  if (kind === 'webhook') return body;
  const [from, to] = [filled('from'), filled('to')];
  const hours = { from, to, timezone: filled('timezone') };
  const quietHours = from === undefined && to === undefined ? {} : { quiet_hours: hours };
  return { ...body, language: filled('language'), digest: filled('digest'), ...quietHours };
};

/** The first error of each field of the form; quiet hours have separate fields. */
const formErrors = (error: z.ZodError, { language }: AccountVisit): FieldErrors =>
  Object.fromEntries(
    error.issues
      .toReversed()
      .map(({ path, message }) => [
        String(path.at(-1) ?? 'form'),
        faultIn(language, message === 'Required' ? 'is required' : message),
      ]),
  );

const create = async (ports: WebhookPorts, visit: FamilyVisit): Promise<Answer> => {
  const kept = KEPT.map((name) => [name, visit.form.text(name).trim()] as const);
  const typed: Typed = { ...Object.fromEntries(kept), events: visit.form.all('events') };
  const refuse = (errors: FieldErrors) => showWebhooks(ports, visit, { typed, errors });
  const body = newWebhookSchema.safeParse(bodyOf(visit));
  if (!body.success) return refuse(formErrors(body.error, visit));
  const { chosen } = visit;
  const { family, tier } = chosen;
  const webhooksMax = ports.plans[tier].webhooks;
  const owner = { family, webhooksMax, confirmedEmail: visit.by.account.email };
  try {
    const made = await registerWebhook(ports, owner, body.data);
    if (!made) {
      const form = phrasesIn(visit.language)('planWebhooks', { n: webhooksMax });
      return refuse({ form });
    }
    return made.webhook.kind === 'webhook'
      ? show('webhookSecret', 'webhookSecret', { ...made, chosen })
      : goTo(`/dashboard/webhooks/${made.webhook.id}?family=${family}&done=added`);
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    return refuse({ [error.field]: faultIn(visit.language, error.message) });
  }
};

const unknown = (visit: AccountVisit): Answer => notKnown('webhook', visit);
const idOf = ({ params }: FamilyVisit): string => params['id'] ?? '';

const detail = async (ports: WebhookPorts, visit: FamilyVisit): Promise<Answer> => {
  const { chosen } = visit;
  const { family } = chosen;
  const webhookId = idOf(visit);
  const webhook = await ports.webhooks.find(family, webhookId);
  if (!webhook) return unknown(visit);
  const page = { family, webhookId, limit: DELIVERIES_SHOWN };
  const found = await ports.webhooks.deliveries(page);
  const disabledReason = faultIn(visit.language, webhook.disabledReason ?? '');
  const data = { webhook, chosen, disabledReason, ...found, nowMs: visit.nowMs };
  return show('webhook', 'webhook', data);
};

/** An action on a webhook; resolves to nothing if there is no such webhook. */
type Action = (
  ports: WebhookPorts,
  family: string,
  id: string,
  visit: AccountVisit,
) => Promise<unknown>;

/** Performs the action, and redirects to the webhook. */
const act =
  (name: string, action: Action) =>
  async (ports: WebhookPorts, visit: FamilyVisit): Promise<Answer> => {
    const { family } = visit.chosen;
    const id = idOf(visit);
    if (!(await action(ports, family, id, visit))) return unknown(visit);
    return goTo(`/dashboard/webhooks/${id}?family=${family}&done=${name}`);
  };

const rotate = async (ports: WebhookPorts, visit: FamilyVisit): Promise<Answer> => {
  const { chosen } = visit;
  const made = await ports.webhooks.rotateSecret(chosen.family, idOf(visit));
  return made ? show('webhookSecret', 'webhookSecret', { ...made, chosen }) : unknown(visit);
};

const remove = async (ports: WebhookPorts, visit: FamilyVisit): Promise<Answer> => {
  const { family } = visit.chosen;
  if (!(await ports.webhooks.remove(family, idOf(visit)))) return unknown(visit);
  return goTo(`/dashboard/webhooks?family=${family}&done=removed`);
};

const ACTIONS: Readonly<Record<string, Action>> = {
  test: (ports, family, id) => ports.webhooks.test(family, id),
  pause: (ports, family, id) => ports.webhooks.change(family, id, { status: 'paused' }),
  resume: (ports, family, id) =>
    answeringFaults(changeWebhook(ports, family, id, { status: 'active' })),
  redeliver: (ports, family, id, { form }) =>
    ports.webhooks.redeliver(family, id, form.text('delivery')),
};

/** Pages about webhooks and their deliveries. */
export const webhookPages = definePages<WebhookPorts>([
  [
    'account',
    'get',
    '/dashboard/webhooks',
    ofFamily('webhooks', showWebhooks),
    { section: 'webhooks' },
  ],
  ['account', 'post', '/dashboard/webhooks', ofFamily('webhooks', create)],
  ['account', 'get', '/dashboard/webhooks/:id', ofFamily(unknown, detail)],
  ...Object.entries(ACTIONS).map(
    ([name, action]) =>
      [
        'account',
        'post',
        `/dashboard/webhooks/:id/${name}`,
        ofFamily(unknown, act(name, action)),
      ] as const,
  ),
  ['account', 'post', '/dashboard/webhooks/:id/rotate', ofFamily(unknown, rotate)],
  ['account', 'post', '/dashboard/webhooks/:id/remove', ofFamily(unknown, remove)],
]);
