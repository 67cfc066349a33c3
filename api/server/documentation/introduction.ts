import { errorTable } from './errors.ts';

/** The most common tasks of callers, in Markdown. */
const GUIDES = `# Guides

**Check a token before a swap.** \`POST /api/predict/{address}\` with \`{"wait": 10}\`; show \`explanation.advice_text\` and \`reasons\`; refuse on \`avoid\`, ask on \`wait\`.
For many tokens at once \`POST /api/scan/tokens\`, in the form wallets use.

**Watch a wallet.** \`POST /api/watchlist\` with \`{"address": "0x…", "type": "wallet"}\`, then take alerts from \`GET /api/events\` (server-sent events, tier pro), \`/api/ws\`, a webhook, or
poll \`GET /api/alerts?read=false\`.

**Receive webhooks.** \`POST /api/webhooks\` with \`{"url": "https://…", "events": ["watchlist.alert"]}\`; keep the \`secret\`, which is shown once. Check \`webhook-signature\`
over the raw body with any library of standardwebhooks.com, answer 2xx within 15 seconds, and ignore an event whose \`id\` you have handled before. After an outage of yours, \`GET /alerts?since_id=…\`
with the \`data.id\` of your last alert gives at once what later attempts will bring.

**Receive alerts in Telegram, Discord, Slack or by mail.** \`POST /api/webhooks\` with \`{"kind": "telegram", "bot_token": "123456789:AAE…", "chat_id": "-1001234567890", "events":
["watchlist.alert"]}\` (create the bot with @BotFather and add it to the chat), \`{"kind": "slack", "url": "https://hooks.slack.com/services/…", …}\`, \`{"kind": "discord", "url":
"https://discord.com/api/webhooks/…", …}\`, or \`{"kind": "email", "email": "me@example.org", …}\` (open the link in the mail you get). \`language\` selects the language of the messages,
\`"digest": "hourly"\` or \`"daily"\` collects them, \`"quiet_hours": {"from": "22:00", "to": "07:00", "timezone": "Europe/Berlin"}\` holds all but critical ones until their end.
\`POST /api/webhooks/{id}/test\` sends a test message.

**Walk a ring.** \`GET /clusters?sort=total_stolen\`, then \`GET /clusters/{id}\` for members, tokens and evidence, and \`GET /api/graph/wallet/{address}\` around one of them.

**Load everything into a warehouse.** \`GET /api/export?what=verdicts&day=2026-01-31\` (tier enterprise), likewise \`tokens\` and \`trades\`: one Parquet file per day. Fetch yesterday's
after 00:00 UTC and load it as the partition of that day; fetch a day again to get the verdicts that changed since. Other tiers page through \`GET /api/tokens?sort_by=analyzed_at&limit=100\` by \`next_cursor\`, then follow the events \`verdict.changed\`, resuming with \`last_event_id\` after a broken connection.
`;

/** The introduction of the API's documentation, in Markdown. */
export const introduction = (
  baseUrl: string,
): string => `Is a token a scam, how certain is that, and what is the evidence? Verdicts on ERC-20 tokens with their reasons, records of wallets, rings behind
scams, watchlists with alerts, graphs, reports.

# First call

\`\`\`sh
curl -H "X-API-Key: $KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{}' \\
  ${baseUrl}/api/predict/0x1f981f981f981f981f981f981f981f981f981f98
\`\`\`

\`advice\` says what to do (\`avoid\`, \`wait\`, \`no_finding\`), \`certainty\` how clear the verdict is, \`explanation.reasons\` why. No answer is a guarantee.

# Authentication

Every operation needs a key, which you [create on the dashboard](${baseUrl}/dashboard/keys). Send it in \`X-API-Key\`, as bearer token, or for tests as \`?api_key=\`. WebSockets accept it as protocol \`key.<API_KEY>\`, or a ticket.
A key belongs to a tier, and each operation says which tier it needs. Without a valid key the answer is 401 (\`AUTH_001\`, expired \`AUTH_002\`), with too low a tier 403.

# Tools

[OpenAPI 3.1](${baseUrl}/openapi.json), [types for TypeScript](${baseUrl}/openapi.d.ts),
[errors with examples](${baseUrl}/docs/errors), a server for language models (MCP, Streamable HTTP, the same keys) at \`${baseUrl}/mcp\`. The [public pages](${baseUrl}/)
need no key.

# Which operations to use

Use those under \`/api\`. The others (\`/tokens\`, \`/wallets\`, \`/clusters\`, \`/watchlist\`, \`/alerts\`, \`/stats\`) give the same verdicts to clients of the first
version and will stay. They differ in scale: **under \`/api\` confidences are fractions (0.97) and predictions are \`is_rug\`; elsewhere confidences are whole percents
(97) and predictions are \`SCAM\` or \`LEGIT\`.** Risk scores are 0 to 100 everywhere, shares and rates 0 to 1. Rings, the watchlist and its alerts can be read both ways.

# Errors

${errorTable(baseUrl)}

[All errors with examples](${baseUrl}/docs/errors); error answers link to that page by the header \`Link\` with \`rel="help"\`.

Errors 429, 500 and 503 do not count towards the day's quota. A token that is not an ERC-20 contract fails its analysis with \`not_a_contract\` or \`not_a_token\`.

# Limits

There is a quota for the day (until 00:00 UTC) and one for the minute; the headers \`RateLimit\` and \`X-RateLimit-Remaining\` of every answer give the remaining requests. An answer 304 to
\`If-None-Match\` is free. Operations that write can be repeated safely with an \`Idempotency-Key\`: for 24 hours a repetition gets the first answer.

# Pages

Lists give \`next_cursor\` (in \`pagination\` under \`/api\`). Sent as \`cursor\`, it continues where the page ended, even if entries were added since. The header \`Link\` holds the same as
a URL. \`offset\` and \`page\` are for interfaces with numbered pages.

# Versions

Fields and operations may be added; none is removed or changes its meaning. Clients should ignore fields that they do not know. \`API-Version\` is in every answer.

${GUIDES}`;

/** Index of the documentation for language models (llmstxt.org). */
export const llmsText = (baseUrl: string): string => `# Token Scam Detection Service

> Verdicts on ERC-20 tokens (SCAM or LEGIT, certainty, advice, reasons with evidence), records of wallets, rings of scammers, alerts.

- [OpenAPI 3.1 document](${baseUrl}/openapi.json): every operation, field, error and example
- [TypeScript types](${baseUrl}/openapi.d.ts): for openapi-fetch
- [Reference](${baseUrl}/redoc), [interactive reference](${baseUrl}/docs)
- [Errors by code](${baseUrl}/docs/errors)
- MCP server: ${baseUrl}/mcp (Streamable HTTP, the same keys): check_token, check_wallet, explain_verdict, search and more

Every request needs a key in the header X-API-Key. Start with POST ${baseUrl}/api/predict/{address}.
`;
