import { z } from 'zod';
import { TIERS, tierIncludes } from '../../../shared/families/tier.ts';
import type { AccountStore } from '../../accounts/accountStore.ts';
import type { AccountUsage } from '../../accounts/accountUsage.ts';
import type { KeyState, KeyStore } from '../../accounts/keyStore.ts';
import { type Plans } from '../../accounts/plans.ts';
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
import { fieldErrors, nameField } from './fields.ts';

/** Dependencies of pages about API keys. */
export interface KeyPorts {
  readonly accounts: Pick<AccountStore, 'addFamily' | 'families'>;
  readonly keys: KeyStore;
  readonly plans: Plans;
  /** Whether a key's tier may not exceed the account's plan. */
  readonly isPlanEnforced: boolean;
  readonly keyUsage: {
    /** Usage of all keys of some families; `nowS` in Unix seconds. */
    read(families: readonly string[], nowS: number): Promise<AccountUsage>;
    /** Day units a family has used today (UTC). */
    unitsToday(family: string, nowS: number): Promise<number>;
  };
}

const DAY_MS = 86_400_000;
/** Age at which a key should be rotated. */
const REMINDER_DAYS = 90;
const EXPIRY_DAYS = ['0', '30', '90', '180', '365'] as const;
const OVERLAP_HOURS = ['0', '1', '24', '72'] as const;
const HOUR_MS = 3_600_000;
/** Key families of one account. */
const FAMILIES_MAX = 50;

const createSchema = z.object({
  name: nameField,
  tier: z.enum(TIERS),
  expiry: z.enum(EXPIRY_DAYS),
});
const rotateSchema = z.object({ expiry: z.enum(EXPIRY_DAYS), overlap: z.enum(OVERLAP_HOURS) });

const expiresAt = (days: string, nowMs: number): number | undefined =>
  days === '0' ? undefined : nowMs + Number(days) * DAY_MS;

const allowedTiers = (ports: KeyPorts, { by }: AccountVisit) =>
  TIERS.filter((tier) => !ports.isPlanEnforced || tierIncludes(by.account.plan, tier));

const keysOf = async (ports: KeyPorts, families: readonly string[]): Promise<KeyState[]> => {
  const keys = await Promise.all(families.map((family) => ports.keys.list(family)));
  return keys.flat().toSorted((a, b) => b.createdAtMs - a.createdAtMs);
};

/** The key, if it belongs to a family of the account. */
const ownKey = async (
  ports: KeyPorts,
  { by, params }: AccountVisit,
): Promise<KeyState | undefined> => {
  const key = await ports.keys.find(params['id'] ?? '');
  if (!key) return undefined;
  const families = await ports.accounts.families(by.account.id);
  return families.includes(key.family) ? key : undefined;
};

const noSuchKey = ({ language }: AccountVisit): Answer =>
  show('failure', 'notFound', { message: phrasesIn(language)('noSuchKey') }, { status: 404 });

const showKeys = async (
  ports: KeyPorts,
  visit: AccountVisit,
  given: { name?: string; errors?: FieldErrors } = {},
): Promise<Answer> => {
  const { by, nowMs } = visit;
  const nowS = Math.floor(nowMs / 1000);
  const families = await ports.accounts.families(by.account.id);
  const [keys, usage] = await Promise.all([
    keysOf(ports, families),
    ports.keyUsage.read(families, nowS),
  ]);
  const meters = await Promise.all(
    families.map(async (family) => {
      const tier = keys.find((key) => key.family === family)?.tier ?? 'free';
      const used = await ports.keyUsage.unitsToday(family, nowS);
      return [family, { used, limit: ports.plans[tier].perDay }] as const;
    }),
  );
  const meterOf = new Map(meters);
  const rows = keys.map((key) => ({
    ...key,
    ...(usage.keys.get(key.id) ?? { requestsOfDay: 0, lastAtMs: 0 }),
    meter: meterOf.get(key.family),
    shouldRotate: key.status === 'active' && nowMs - key.createdAtMs > REMINDER_DAYS * DAY_MS,
  }));
  const { errors = {}, name = '' } = given;
  return showForm('keys', 'keys', {
    keys: rows,
    usage,
    nowMs,
    name,
    errors,
    tiers: allowedTiers(ports, visit),
    plans: ports.plans,
    expiryDays: EXPIRY_DAYS,
    overlapHours: OVERLAP_HOURS,
  });
};

const create = async (ports: KeyPorts, visit: AccountVisit): Promise<Answer> => {
  const { by, form, nowMs } = visit;
  const name = form.text('name');
  const given = { name, tier: form.text('tier'), expiry: form.text('expiry') || '0' };
  const parsed = createSchema.safeParse(given);
  if (!parsed.success)
    return showKeys(ports, visit, { name, errors: fieldErrors(parsed.error, visit) });
  const { tier, expiry } = parsed.data;
  if (!allowedTiers(ports, visit).includes(tier)) {
    const errors = { tier: faultIn(visit.language, 'is above the plan of this account') };
    return showKeys(ports, visit, { name, errors });
  }
  if ((await ports.accounts.families(by.account.id)).length >= FAMILIES_MAX) {
    const errors = { form: phrasesIn(visit.language)('keysMax', { n: FAMILIES_MAX }) };
    return showKeys(ports, visit, { name, errors });
  }
  const expiresAtMs = expiresAt(expiry, nowMs);
  const made = await ports.keys.create({ name: parsed.data.name, tier, expiresAtMs });
  await ports.accounts.addFamily(by.account.id, made.info.family);
  return show('newKey', 'newKey', { ...made, expiresAtMs });
};

const rotate = async (ports: KeyPorts, visit: AccountVisit): Promise<Answer> => {
  const key = await ownKey(ports, visit);
  if (!key) return noSuchKey(visit);
  const { form, nowMs } = visit;
  const parsed = rotateSchema.safeParse({
    expiry: form.text('expiry') || '0',
    overlap: form.text('overlap') || '0',
  });
  if (!parsed.success) return showKeys(ports, visit, { errors: fieldErrors(parsed.error, visit) });
  const overlapMs = Number(parsed.data.overlap) * HOUR_MS;
  const expiresAtMs = expiresAt(parsed.data.expiry, nowMs);
  const made = await ports.keys.rotate(key.id, { overlapMs, expiresAtMs });
  if (!made) {
    const errors = { form: phrasesIn(visit.language)('notRotatable') };
    return showKeys(ports, visit, { errors });
  }
  return show('newKey', 'newKey', { ...made, expiresAtMs, overlapMs, replaced: key });
};

const revoke = async (ports: KeyPorts, visit: AccountVisit): Promise<Answer> => {
  const key = await ownKey(ports, visit);
  if (!key) return noSuchKey(visit);
  await ports.keys.revoke(key.id);
  return goTo('/dashboard/keys?done=key-revoked');
};

/** Pages about API keys. */
export const keyPages = definePages<KeyPorts>([
  ['account', 'get', '/dashboard/keys', showKeys, { section: 'keys' }],
  ['account', 'post', '/dashboard/keys', create],
  ['account', 'post', '/dashboard/keys/:id/rotate', rotate],
  ['account', 'post', '/dashboard/keys/:id/revoke', revoke],
]);
