import { CHAT_ORIGINS, hookPathOf } from '../../shared/webhooks/chatServices.ts';
import type { WebhookKind } from '../../shared/webhooks/webhook.ts';
import type { Target } from './webhook.ts';

/** The target fields in a request. */
export interface GivenTarget {
  readonly url?: string | undefined;
  readonly secret?: string | undefined;
  readonly bot_token?: string | undefined;
  readonly chat_id?: string | undefined;
  readonly email?: string | undefined;
}
type Field = keyof GivenTarget;

/** An invalid field; `message` may be shown to the caller. */
export class TargetFault extends Error {
  override readonly name = 'TargetFault';
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

/** The fields that each kind needs. */
export const NEEDED_FIELDS_OF_KIND: Readonly<Record<WebhookKind, readonly Field[]>> = {
  webhook: ['url'],
  slack: ['url'],
  discord: ['url'],
  telegram: ['bot_token', 'chat_id'],
  email: ['email'],
};

/** The fields of each kind. */
export const FIELDS_OF_KIND: Readonly<Record<WebhookKind, readonly Field[]>> = {
  ...NEEDED_FIELDS_OF_KIND,
  webhook: [...NEEDED_FIELDS_OF_KIND.webhook, 'secret'],
};
/** Shown in place of secret values. */
const HIDDEN = '***';

const hookTarget = (kind: 'slack' | 'discord', url: string): Partial<Target> => {
  const path = hookPathOf(kind, url);
  if (path === undefined) {
    const form = kind === 'slack' ? 'services/T…/B…/…' : 'api/webhooks/…/…';
    throw new TargetFault('url', `must be ${CHAT_ORIGINS[kind]}/${form}`);
  }
  const shown = path.slice(0, path.lastIndexOf('/'));
  return { url: `${CHAT_ORIGINS[kind]}${shown}/${HIDDEN}`, secret: path };
};

const telegramTarget = ({ bot_token: token, chat_id: chat }: GivenTarget): Partial<Target> => ({
  ...(token === undefined
    ? {}
    : { url: `${CHAT_ORIGINS.telegram}/bot${token.split(':')[0]}:${HIDDEN}`, secret: token }),
  ...(chat === undefined ? {} : { recipient: chat }),
});

/**
 * The given target fields, as stored. @throws TargetFault for a field that is invalid or belongs to another kind
 */
export const targetChange = (kind: WebhookKind, given: GivenTarget): Partial<Target> => {
  const [foreign] = Object.entries(given).filter(
    ([field, value]) => value !== undefined && !FIELDS_OF_KIND[kind].includes(field as Field),
  );
  if (foreign) throw new TargetFault(foreign[0], `is not a field of kind ${kind}`);
  const { url, email, secret } = given;
  switch (kind) {
    case 'webhook':
      return { ...(url === undefined ? {} : { url }), ...(secret === undefined ? {} : { secret }) };
    case 'slack':
    case 'discord':
      return url === undefined ? {} : hookTarget(kind, url);
    case 'telegram':
      return telegramTarget(given);
    case 'email':
      return email === undefined ? {} : { url: `mailto:${email}`, recipient: email, secret: '' };
  }
};

/** A complete target, with every required field. @throws TargetFault as `targetChange` */
export const targetOf = (kind: WebhookKind, given: GivenTarget): Target => ({
  url: '',
  recipient: '',
  ...targetChange(kind, given),
});
