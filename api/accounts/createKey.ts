import { parseArgs } from 'node:util';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { TIERS, type Tier, tierIncludes } from '../../shared/families/tier.ts';
import { fields, readConfig } from '../../shared/platform/config.ts';
import { errorMessage, RetryableError } from '../../shared/platform/errors.ts';
import { openRedis } from '../../shared/platform/redis.ts';
import { createAccountStore } from './accountStore.ts';
import { createKeyStore } from './keyStore.ts';
import { createOneTimeStore } from './oneTimeStore.ts';

const NAME_LENGTH_MAX = 100;

const USAGE = `usage: createKey [--tier ${TIERS.join('|')}] [--name NAME] [--account E-MAIL]
TIER, NAME and ACCOUNT may come from the environment; REDIS_URL and KEY_PEPPER must be those of the API.`;

const configSchema = z.object({
  REDIS_URL: fields.REDIS_URL,
  KEY_PEPPER: fields.KEY_PEPPER,
  TIER: z.enum(TIERS, { message: `must be one of ${TIERS.join(', ')}` }).default('free'),
  NAME: z
    .string()
    .max(NAME_LENGTH_MAX, `must have at most ${NAME_LENGTH_MAX} characters`)
    .regex(/^[^\p{C}]+$/u, 'must not contain control characters')
    .default('default'),
  /** The dashboard account that is to own the key. */
  ACCOUNT: z.string().trim().toLowerCase().email('must be an e-mail address').optional(),
  BASE_URL: z.string().default(''),
});

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      tier: { type: 'string' },
      name: { type: 'string' },
      account: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const fromEnvironment = z.record(z.string(), z.string());
  const environment = readConfig(fromEnvironment);
  return {
    isHelp: values.help === true,
    variables: {
      ...environment,
      ...(values.tier === undefined ? {} : { TIER: values.tier }),
      ...(values.name === undefined ? {} : { NAME: values.name }),
      ...(values.account === undefined ? {} : { ACCOUNT: values.account }),
    },
  };
};

/**
 * Gives a key family to the account with an e-mail address, which is created if there is none and whose plan then
 * includes the key's tier. Resolves to the path of a link that opens the account once, within a day.
 */
const giveToAccount = async (
  redis: Redis,
  email: string,
  { family, tier }: { family: string; tier: Tier },
): Promise<string> => {
  const accounts = createAccountStore({ redis, now: () => Date.now() });
  const account = (await accounts.findByEmail(email)) ?? (await accounts.create({ email }));
  if (!account) throw new Error(`the account of ${email} is being made by somebody else`);
  await accounts.addFamily(account.id, family);
  if (!tierIncludes(account.plan, tier)) await accounts.setPlan(account.id, tier);
  const token = await createOneTimeStore(redis).put('enter', { accountId: account.id });
  return `/dashboard/enter?token=${token}`;
};

/** Creates a key: notes go to standard error, the key alone to standard output. */
const main = async (): Promise<void> => {
  const { isHelp, variables } = readOptions();
  if (isHelp) {
    console.error(USAGE);
    return;
  }
  const config = readConfig(configSchema, variables);
  const redis = await openRedis(config.REDIS_URL);
  try {
    const store = createKeyStore({ redis, pepper: config.KEY_PEPPER, now: () => Date.now() });
    const { key, info } = await store.create({ name: config.NAME, tier: config.TIER });
    console.error(`key ${info.id} "${info.name}" of tier ${info.tier}, family ${info.family}`);
    console.error('The key is shown this once. Send it as X-API-Key.');
    if (config.ACCOUNT !== undefined) {
      const path = await giveToAccount(redis, config.ACCOUNT, info);
      console.error(`Opens the account of ${config.ACCOUNT} once, within a day:`);
      console.error(`${config.BASE_URL}${path}`);
    }
    console.log(key);
  } finally {
    redis.disconnect();
  }
};

try {
  await main();
} catch (error) {
  console.error(`no key made: ${errorMessage(error)}`);
  if (!(error instanceof RetryableError)) console.error(USAGE);
  process.exitCode = 1;
}
