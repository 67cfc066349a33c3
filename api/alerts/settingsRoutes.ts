import type { AlertSettings } from '../../shared/families/alertSettingsStore.ts';
import { tierIncludes } from '../../shared/families/tier.ts';
import { insufficientTier, invalidFields } from '../server/apiError.ts';
import { defineEndpoint, type Endpoint } from '../server/endpoint.ts';
import { successB } from '../server/present.ts';
import { envelopeB } from '../server/schema.ts';
import { applyChange, effectiveSettings } from './settings.ts';
import { alertConfigChangeSchema, alertConfigSchema } from './settingsSchema.ts';

/** GET /api/alerts/configure */
export const getAlertConfig = ({ alertSettings }: { alertSettings: AlertSettings }): Endpoint =>
  defineEndpoint({
    method: 'get',
    path: '/api/alerts/configure',
    id: 'getAlertConfig',
    tag: 'Alerts',
    summary: 'Read alert settings',
    description: 'The settings in force for the key family, defaults included.',
    response: envelopeB(alertConfigSchema),
    successes: { 200: 'The settings' },
    handle: async ({ caller }) => {
      const overrides = await alertSettings.read(caller.family);
      return { body: successB(effectiveSettings(overrides, caller.tier)) };
    },
  });

/** POST /api/alerts/configure */
export const configureAlerts = (ports: {
  alertSettings: AlertSettings;
  baseUrl: string;
}): Endpoint =>
  defineEndpoint({
    method: 'post',
    path: '/api/alerts/configure',
    id: 'configureAlerts',
    tag: 'Alerts',
    summary: 'Change alert settings',
    description:
      'Absent fields stay unchanged, arrays are replaced, `quiet_hours: null` removes the quiet hours; if none are set, `quiet_hours` needs `from` and `to`; `quiet_hours.timezone` must be an IANA time zone. Returns the settings in force. Presets of the sensitivity (price drop in 1 h / liquidity drop in 10 min / confidence): low 0.60/0.80/0.95, medium 0.40/0.50/0.85, high 0.20/0.25/0.70; `thresholds` override them. In quiet hours alerts are stored and can be read, but are not sent, except critical ones unless `except_critical` is false. `channels.webhook: true` needs tier starter. `channels.webhook` applies to chats, too, `channels.email` to e-mail addresses: registering one switches it on.',
    body: alertConfigChangeSchema,
    response: envelopeB(alertConfigSchema),
    successes: { 200: 'The settings in force' },
    errors: [403],
    handle: async ({ body, caller }) => {
      if (Object.keys(body).length === 0) {
        const message = 'must have at least one field';
        throw invalidFields([{ in: 'body', path: '', message }], { code: 'REQ_002' });
      }
      if (body.channels?.webhook && !tierIncludes(caller.tier, 'starter')) {
        throw insufficientTier({
          message: 'Webhooks need tier starter or higher',
          tier: caller.tier,
          requiredTier: 'starter',
          upgradeUrl: `${ports.baseUrl}/dashboard/plans`,
        });
      }
      const overrides = await ports.alertSettings.update(caller.family, (before) =>
        applyChange(before, body),
      );
      return { body: successB(effectiveSettings(overrides, caller.tier)) };
    },
  });
