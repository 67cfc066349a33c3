import { riskLevel } from '../../../shared/rules/riskLevel.ts';
import { type Language } from '../../../shared/sentences/language.ts';
import type { Clusters } from '../../clusters/queries.ts';
import { roleText } from '../../reports/composeWalletReport.ts';
import { factorText } from '../../wallets/factorText.ts';
import type { Wallet, Wallets } from '../../wallets/wallet.ts';
import { FORMATS } from '../formats.ts';
import { type Answer, definePages, goTo, show, type Visit } from '../page.ts';
import { phrasesIn } from '../phrases.ts';
import { addressOf, notKnown, tokenRow } from './tokens.ts';

/** Dependencies of pages about wallets and rings. */
export interface WalletPorts {
  readonly wallets: Wallets;
  readonly clusters: Clusters;
}

const TOKENS_SHOWN = 25;
const STEPS_SHOWN = 20;
const RINGS_SHOWN = 50;
const RING_SIZE_MIN = 2;

const ringOf = async ({ clusters }: WalletPorts, { clusterId }: Wallet) => {
  const found = clusterId === null ? undefined : await clusters.find(clusterId);
  return found?.kind === 'found' ? found.cluster : undefined;
};

/** A wallet with its risk level, and its role and reputation in a language. */
const inWords = (found: Wallet, language: Language) => ({
  ...found,
  level: riskLevel(found.riskScore),
  role: roleText(found.role, language),
  reputation: {
    ...found.reputation,
    factors: found.reputation.factors.map((factor) => ({
      ...factor,
      text: factorText(found, factor, language),
    })),
  },
});

const wallet = async (ports: WalletPorts, visit: Visit): Promise<Answer> => {
  const address = addressOf(visit);
  const found = address && (await ports.wallets.find(address));
  if (!address || !found) return notKnown('wallet', visit);
  const [made, steps, scams, ring] = await Promise.all([
    ports.wallets.tokens(address, { limit: TOKENS_SHOWN, offset: 0 }),
    ports.wallets.history(address, { limit: STEPS_SHOWN }),
    ports.wallets.scams(address),
    ringOf(ports, found),
  ]);
  const say = phrasesIn(visit.language);
  return show(
    'wallet',
    'wallet',
    {
      wallet: inWords(found, visit.language),
      tokens: made.tokens.map(tokenRow),
      tokensTotal: made.total,
      steps,
      scams: scams.map((scam) => ({ ...scam, role: roleText(scam.role, visit.language) })),
      ring,
      master: ring?.wallets.find(({ role }) => role === 'master')?.address,
      nowMs: visit.nowMs,
    },
    {
      preview: {
        description: [
          `${say('tokensMade')}: ${found.tokensCreated}`,
          `${say('scamsMade')}: ${found.scams}`,
          `${say('risk')}: ${Math.round(found.riskScore)}/100`,
        ].join('. '),
        picture: 'start',
        path: `/wallet/${address}`,
      },
    },
  );
};

const rings = async (ports: WalletPorts): Promise<Answer> => {
  const { clusters, total } = await ports.clusters.list({
    size: { min: RING_SIZE_MIN },
    sort: 'risk_score',
    order: 'desc',
    limit: RINGS_SHOWN,
    offset: 0,
  });
  return show('rings', 'rings', { clusters, total });
};

const ring = async (ports: WalletPorts, visit: Visit): Promise<Answer> => {
  const found = await ports.clusters.find(visit.params['id'] ?? '');
  if (!found) return notKnown('ring', visit);
  if (found.kind === 'merged') return goTo(`/ring/${encodeURIComponent(found.into)}`);
  const { cluster } = found;
  const { whole, dollars } = FORMATS[visit.language];
  const description = phrasesIn(visit.language)('ringSummary', {
    size: whole(cluster.size),
    tokens: whole(cluster.tokensCreated),
    scams: whole(cluster.scams),
    usd: dollars(cluster.stolenUsd),
    victims: whole(cluster.victims),
    risk: Math.round(cluster.riskScore),
  });
  return show(
    'ring',
    { text: cluster.name },
    {
      ring: {
        ...cluster,
        wallets: cluster.wallets.map((one) => ({
          ...one,
          roleText: roleText(one.walletRole, visit.language),
        })),
      },
    },
    { preview: { description, picture: 'avoid', path: `/ring/${cluster.id}` } },
  );
};

/** Pages about wallets and their rings. */
export const walletPages = definePages<WalletPorts>([
  ['public', 'get', '/wallet/:address', wallet, { isLookUp: true }],
  ['account', 'get', '/dashboard/rings', rings, { section: 'rings' }],
  ['public', 'get', '/ring/:id', ring, { isLookUp: true }],
]);
