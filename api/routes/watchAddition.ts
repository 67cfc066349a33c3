import type { AlertType, Sensitivity, WatchItem } from '../../shared/messages/watchMessage.ts';
import { errorMessage } from '../../shared/runtime/errors.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Caller } from '../accounts/admission.ts';
import { nextTier, type Plans } from '../accounts/plans.ts';
import type { AlertSettings } from '../alertSettings/alertSettings.ts';
import { effectiveSettings } from '../alertSettings/effectiveSettings.ts';
import { conflict, insufficientTier } from '../apiError.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Tokens } from '../ports.ts';
import { alertType } from '../schema/fields.ts';
import { z } from '../schema/zod.ts';
import type { Watchlist } from '../watchlist/watchlist.ts';

const ALERTS_MAX = 20;

/** Which alerts a new watch asks for, as bodies of both styles carry it. */
export const watchedAlerts = z
  .array(alertType)
  .max(ALERTS_MAX, `must have at most ${ALERTS_MAX} items`)
  .optional()
  .openapi({
    description:
      'default: as configured; at first token [rug_pull, price_drop], wallet [new_token, rug_pull]',
  });

/** What adding to a watchlist needs. */
export interface AdditionPorts {
  readonly watchlist: Watchlist;
  readonly alertSettings: AlertSettings;
  readonly tokens: Tokens;
  readonly jobs: Jobs;
  readonly plans: Plans;
  readonly baseUrl: string;
  readonly logger: Logger;
}

/** The watch stands whether or not the analysis can be queued: a failure is only logged. */
const queueAnalysis = async (
  ports: AdditionPorts,
  family: string,
  token: `0x${string}`,
): Promise<void> => {
  try {
    if (await ports.tokens.find(token)) return;
    await ports.jobs.start({ family, token, force: false });
  } catch (error) {
    ports.logger.warn({ token }, `analysis of a watched token not queued: ${errorMessage(error)}`);
  }
};

/**
 * Adds to the caller's watchlist; what the body leaves open follows the caller's settings.
 * @throws ApiError 409 for what is watched already, 403 where the tier's cap is reached.
 */
export const addToWatchlist = async (
  ports: AdditionPorts,
  body: {
    type: WatchItem['type'];
    address: WatchItem['address'];
    alerts?: AlertType[] | undefined;
    sensitivity?: Sensitivity | undefined;
  },
  caller: Caller,
): Promise<WatchItem> => {
  const { type, address } = body;
  const settings = effectiveSettings(await ports.alertSettings.read(caller.family), caller.tier);
  const alerts = [...new Set(body.alerts ?? settings.default_alerts[type])];
  const sensitivity = body.sensitivity ?? settings.default_sensitivity;
  const itemsMax = ports.plans[caller.tier].watchlistItems;
  const watch = { family: caller.family, type, address, alerts, sensitivity };
  const outcome = await ports.watchlist.add(watch, itemsMax);
  if (outcome.kind === 'exists') {
    const { id } = outcome.item;
    throw conflict(`already watched as item ${id}`, [
      { in: 'body', path: 'address', message: 'is already watched', id },
    ]);
  }
  if (outcome.kind === 'full') {
    throw insufficientTier({
      message: `The watchlist of tier ${caller.tier} holds ${itemsMax} items`,
      tier: caller.tier,
      requiredTier: nextTier(caller.tier),
      upgradeUrl: `${ports.baseUrl}/dashboard/plans`,
    });
  }
  if (type === 'token') await queueAnalysis(ports, caller.family, address);
  return outcome.item;
};
