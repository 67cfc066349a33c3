import { CLOSED_TARGET, KNOWN } from './sampleAccount.ts';

/** A rule that no schema of OpenAPI 3.1 can state: it must stand in the description of its operation. */
export interface UnwrittenRule {
  /** Field of the refusal, as `details` name it, and what they say of it. */
  readonly field: RegExp;
  readonly message: RegExp;
  /** What the description says of it. */
  readonly described: RegExp;
  /** A request that the schema allows and the rule refuses. */
  readonly witness: { readonly path: string; readonly body?: unknown };
}

const CURSOR = Buffer.from('["no list",1,"x"]').toString('base64url');
const { token, creator } = KNOWN;

const cursorRule = (path: string): UnwrittenRule => ({
  field: /^cursor$/,
  message: /is not a cursor of this list|belongs to another/,
  described: /must be the `next_cursor` of an earlier page/,
  witness: { path: `${path}?cursor=${CURSOR}` },
});

const pagingRules = (path: string): UnwrittenRule[] => [
  cursorRule(path),
  {
    field: /^(?:offset|cursor)$/,
    message: /^excludes page$/,
    described: /`page` excludes `offset` and `cursor`/,
    witness: { path: `${path}?page=1&offset=0` },
  },
  {
    field: /^limit$/,
    message: /^must be <= 100 with offset$/,
    described: /with `offset` a `limit` is at most 100/,
    witness: { path: `${path}?limit=101&offset=0` },
  },
  {
    field: /^page$/,
    message: /^reaches beyond entry 10000/,
    described: /No `page` may begin beyond entry 10,000/,
    witness: { path: `${path}?page=10001&limit=1000` },
  },
];

const target = (path: string, url: string): UnwrittenRule => ({
  field: /^url$/,
  message: /./,
  described: /host of `url` must resolve, and only to public addresses/,
  witness: { path, body: { url, events: ['webhook.test'] } },
});

const SEARCH = '/api/search/advanced';
const CONFIGURE = '/api/alerts/configure';

/** All of them, by operation. */
export const UNWRITTEN_RULES: Readonly<Record<string, readonly UnwrittenRule[]>> = {
  getTokens: [cursorRule('/tokens')],
  listTokens: [
    ...pagingRules('/api/tokens'),
    {
      field: /^confidence_min$/,
      message: /^must be <= confidence_max$/,
      described: /`confidence_min` must be at most `confidence_max`/,
      witness: { path: '/api/tokens?confidence_min=0.5&confidence_max=0.4' },
    },
  ],
  getTokensOfWallet: pagingRules(`/api/wallet/${creator}/tokens`),
  getWatchedWallets: pagingRules('/api/watchlist'),
  getAlertHistory: pagingRules('/api/alerts'),
  getTokenHistory: [cursorRule(`/api/tokens/${token}/history`)],
  getWebhookDeliveries: [cursorRule('/api/webhooks/{id}/deliveries')],
  getAlerts: [
    {
      field: /^since_id$/,
      message: /^is not the id of an alert of yours$/,
      described: /`since_id`, which must be 0 or the id of an alert of yours/,
      witness: { path: '/alerts?since_id=4242424242' },
    },
  ],
  getGraphPath: [
    {
      field: /^to$/,
      message: /^must differ from `from`$/,
      described: /`from` and `to` must differ/,
      witness: { path: `/api/graph/path?from=${token}&to=${token}` },
    },
  ],
  configureAlerts: [
    {
      field: /^quiet_hours\.timezone$/,
      message: /IANA time zone/,
      described: /`quiet_hours\.timezone` must be an IANA time zone/,
      witness: { path: CONFIGURE, body: { quiet_hours: { timezone: 'Europe/Atlantis' } } },
    },
    {
      field: /^quiet_hours\.(?:from|to)$/,
      message: /^is required$/,
      described: /while none are set, `quiet_hours` needs `from` and `to`/,
      witness: { path: CONFIGURE, body: { quiet_hours: { from: '22:00' } } },
    },
  ],
  searchAdvanced: [
    {
      field: /\.min$/,
      message: /^must be <= max$/,
      described: /`min` must be at most `max`/,
      witness: { path: SEARCH, body: { filters: { confidence: { min: 0.5, max: 0.4 } } } },
    },
    {
      field: /\.after$/,
      message: /^must be <= before$/,
      described: /`after` at most `before`/,
      witness: {
        path: SEARCH,
        body: { filters: { created: { after: '2026-01-02', before: '2026-01-01' } } },
      },
    },
    {
      field: /^page$/,
      message: /^reaches beyond entry 10000/,
      described: /no `page` may begin beyond entry 10,000/,
      witness: { path: SEARCH, body: { page: 10_002, limit: 1 } },
    },
    {
      field: /^cursor$/,
      message: /is not a cursor of this list|belongs to another/,
      described: /must be the `next_cursor` of an earlier page/,
      witness: { path: SEARCH, body: { cursor: CURSOR } },
    },
  ],
  createWebhook: [target('/api/webhooks', 'https://no-such-host.invalid/hook')],
  changeWebhook: [target('/api/webhooks/{id}', CLOSED_TARGET.replace('http', 'ftp'))],
};
