import { type Document, entryFor, operationsIn, type Parameter, type Schema } from './document.ts';

/**
 * Descriptions of API fields and parameters whose schema has none, one per name. If a name means something else in
 * one place, its key begins with that place: `Webhook.status`. The longest key that is a suffix of the field's path
 * applies; paths begin with the name of a schema or of an operation.
 */
export const FIELD_DESCRIPTIONS: Readonly<Record<string, string>> = {
  // Envelopes and errors
  success: 'Whether the request did what it asked for',
  data: 'The answer',
  error: 'Name of the error, for people',
  'WebhookDelivery.error': 'Why the last attempt failed; null if it did not',
  code: 'Stable code of the error, for programs; see the list of codes',
  message: 'What happened and what is allowed, for people',
  request_id: 'Id of this request in the logs of the service; quote it in questions',
  details: 'Each invalid field',
  'Feedback.details': 'What you wrote',
  'addFeedback.details': 'Why you think so: what you saw, with transactions if there are any',
  in: 'Part of the request',
  'details.path': 'Path of the field, with dots: `filters.min_severity`',
  tier: 'Tier of the key',
  required_tier: 'Lowest tier that may do this; the tier of the key if none may',
  upgrade: 'Page with the plans',
  policy: 'The quota that is used up',
  retry_after: 'Seconds after which to try again',

  // Pages
  limit: 'Largest number of entries on a page',
  'QuotaError.limit': 'Requests of the quota',
  'day.limit': 'Requests a day',
  'minute.limit': 'Requests a minute',
  offset: 'Entries skipped from the start',
  page: 'Number of the page, from 1',
  total: 'Entries in all',
  'batchTokens.data.total': 'Distinct addresses',
  has_more: 'Whether another page follows',
  next_cursor: 'Send it as `cursor` for the next page; null on the last one',
  pagination: 'Where this page is in the list',
  sort: 'What to sort by',
  order: 'Direction of the order',
  sort_by: 'What to sort by',
  sort_order: 'Direction of the order',
  took_ms: 'Milliseconds the search took',

  // Tokens and verdicts
  token: 'The token',
  'default_alerts.token': 'Rules for tokens that are added without `alerts`',
  name: 'Name of the token: text that its creator chose',
  'ClusterListEntry.name': 'Name of the ring, made from its id',
  'ClusterDetail.name': 'Name of the ring, made from its id',
  'SearchHit.name': 'Name of the token or ring; the role of a wallet',
  symbol: 'Symbol of the token: text that its creator chose',
  prediction: 'The verdict',
  is_rug: 'true: SCAM; false: LEGIT',
  confidence: 'Probability that the prediction is right, 0 to 100',
  'SearchHit.confidence':
    'Probability that the prediction is right, 0 to 1; null for wallets and rings',
  'Report.verdict.confidence': 'Probability that the prediction is right, 0 to 1',
  'reputation.confidence': 'How much is known about the wallet, 0 to 1',
  'WalletReputation.confidence': 'How much is known about the wallet, 0 to 1',
  'evidence.confidence': 'How strong the evidence of the rule is, 0 to 1',
  min_confidence: 'Lowest confidence in the prediction, 0 to 100',
  'filters.min_confidence': 'Lowest confidence in the prediction, 0 to 1',
  'thresholds.min_confidence': 'Lowest confidence in a verdict that alerts, 0 to 1',
  risk_score: '0 (no risk seen) to 100',
  risk_level: 'LOW below 25, MEDIUM below 50, HIGH below 75, else CRITICAL',
  model: 'The model that gave the verdict',
  features: 'Inputs of the model and other figures; unknown ones are left out',
  creator:
    'Who created the token, as known when the verdict was given; GET /wallets/{address} says what is known now',
  'creator.risk_score': 'Risk from the tokens that the creator made before, 0 to 100',
  'creator.scam_rate': 'Share of these tokens that are scams, this one included, 0 to 1',
  base_value: 'Log-odds before any evidence; with all contributions it adds up to the margin',
  checks: 'Everything that was checked',
  'checks.all': 'All of them failed',
  'checks.any': 'At least one of them failed',
  'checks.none': 'None of them failed',
  'Check.id': 'Name of the check',
  'Check.status': 'pass and fail are findings; unknown: it could not be checked',
  'Check.value': 'What was measured; its unit is in the description of the check',
  shown_by: 'Whether a simulation showed the power, or only the code',
  held_by: 'Who can use the power, or holds the tokens',
  reason: 'The finding, in a sentence',
  reasons: 'Reasons for the advice, the strongest first',
  evidence: 'What anyone can look up, or send to a node, to verify it',
  'evidence.kind': 'What `ref` is',
  ref: 'Hash or address to look up, or the call and its block',
  note: 'What the evidence shows',
  request: 'JSON-RPC request that verifies it',
  method: 'Method of JSON-RPC',
  params: 'Its parameters',
  provenance: 'What the verdict was computed from',
  chain_id: 'Number of the chain (EIP-155)',
  block_number: 'Block as of which it holds',
  block_hash: 'Hash of that block',
  bytecode_hash: 'keccak-256 of the code of the token',
  model_sha256: 'SHA-256 of the model',
  holders:
    'What holders experienced: who bought and sold, and which sales work; absent: nobody traded it',
  market: 'The market that gives its price: the one from which a sale takes out most',
  protocol: 'Kind of market',
  locks: 'What is locked of the token and its liquidity',
  locked_tx: 'Transaction that locked it',
  explanation: 'Reasons for the verdict',
  contributions: 'Contribution of each feature and check, largest first',
  feature: 'Name of the feature',
  value: 'What was measured',
  contribution_delta: 'Change of its contribution, in log-odds',
  'changed.from': 'Value before; null if unknown',
  'changed.to': 'Value after; null if unknown',
  force: 'Analyse again even if there is a fresh verdict',
  wait: 'Seconds to hold the request until the analysis is done',
  job_id: 'Id of the analysis',
  'AnalysisJob.status': 'Progress of the analysis',
  'BatchItem.status': 'Progress of the analysis',
  'BatchItem.code': 'Code of the error it would be for a single token',
  'BatchItem.error': 'Why there is no verdict',
  results: 'One entry for each address, in the order sent',
  'search.data.results': 'Hits, the most relevant first',
  'searchAdvanced.data.results': 'Hits in the requested order',
  'scanTokens.results': 'A result by address in lower case',
  completed: 'Tokens with a verdict',
  analyzing: 'Tokens whose analysis runs',
  failed: 'Addresses without a verdict',

  // Wallets
  tokens_created: 'Tokens the wallet created',
  scam_rate: 'Share of these tokens that are scams, 0 to 1',
  'GlobalStats.scam_rate': 'Share of analysed tokens that are scams, 0 to 1',
  victims:
    'Wallets that lost in its scams; one that lost in several tokens counts for each of them',
  'scam_history.victims': 'Wallets that lost money in it',
  role: 'What the wallet does, by its record',
  'scam_history.role': 'Role of the wallet for the token',
  'wallets.role': 'master: it directs the others; puppet: it acts for one',
  'consumers.role': 'Role of the pipeline',
  reputation: 'Trustworthiness of the wallet, and the reasons',
  level: 'TRUSTED from 70, NEUTRAL from 40, SUSPICIOUS from 20, else MALICIOUS',
  is_known_scammer: 'Whether it created several tokens, most of them scams',
  labels: 'Notable properties, as short names',
  factors: 'Reasons for the score: 50 plus these points',
  'factors.id': 'Name of the rule',
  text: 'The same in a sentence',
  outcome: 'How the token ended',
  value_stolen_usd: 'US dollars that it took from others',
  relation: 'How the two are related',
  direction: 'As seen from the requested address',
  weight: 'How strong the relation is, 0 to 1',
  tx_count: 'Transactions between the two',
  tx_hash: 'A transaction as evidence',
  analysis: 'What the wallet does',
  funding_source: 'The wallet that first sent it native currency',
  'funding_source.kind': 'Kind of the sender',
  behaviours: 'Roles that it had regularly',
  'behaviours.id': 'Name of the behaviour',
  count: 'How often it was observed',
  median_token_lifetime_hours: 'Median trading time of its tokens; null if it created none',
  counterparties: 'Addresses that it traded or transferred with',
  history: 'Changes of the reputation, newest first',
  'history.score': 'Reputation afterwards, 0 to 100',
  delta: 'Change of the score',

  // Rings and graphs
  'ClusterListEntry.id': 'Id of the ring',
  'ClusterDetail.id': 'Id of the ring',
  cluster_id: 'Id of the ring it belongs to; null if it belongs to none',
  clusters: 'Rings',
  size: 'Wallets of the ring',
  min_size: 'Smallest number of wallets',
  wallets: 'Wallets of the ring',
  'evidence.wallets': 'Wallets that the rule is about',
  tokens: 'Tokens of this page',
  'ClusterDetail.tokens': 'Tokens that the ring created',
  statistics: 'The ring in numbers',
  rule: 'Name of the rule',
  kind: 'What the address is',
  depth: 'Steps from the requested address',
  max_depth: 'Longest path, in steps',
  nodes: 'Tokens and wallets',
  'paths.nodes': 'Addresses along the path',
  edges: 'Relations between them',
  'paths.edges': 'Relations along the path',
  center: 'The requested address',
  is_center: 'Whether it is the requested address',
  truncated: 'Whether there is more than what is shown',
  limits: 'Range of the shown entries',
  max_nodes: 'Largest number of nodes',
  max_edges: 'Largest number of edges',
  label: 'Symbol of the token, or the shortened address',
  source: 'Where the edge begins',
  target: 'Where the edge ends',
  value_usd: 'US dollars moved; null if the price is unknown',
  from: 'Where the path begins',
  to: 'Where the path ends',
  found: 'Whether there is a path',
  paths: 'Paths, the shortest first',
  'paths.length': 'Steps of the path',
  searched: 'How far the search went',
  nodes_visited: 'Addresses that the search visited',
  'GraphNode.type': 'What the node is',
  'GraphNodeA.type': 'What the node is',
  'GraphEdge.type': 'How the two are related',

  // Watchlist and alerts
  'WatchlistItem.id': 'Id of the item',
  'removeFromWatchlist.id': 'Id of the item',
  type: 'What the address is',
  items: 'Watched addresses',
  alerts: 'Rules that alert for this address; with an empty list it raises no alerts',
  'getAlerts.data.alerts': 'Alerts of this page',
  sensitivity: 'Sensitivity: how small a change raises an alert',
  'Alert.id': 'Id of the alert',
  'readAlert.id': 'Id of the alert',
  'Alert.type': 'Rule that fired',
  'getAlertHistory.type': 'Only alerts of this rule',
  'search.type': 'What to search',
  alert_type: 'Rule that fired',
  severity: 'How urgent it is',
  'Check.severity': 'How serious a failure is',
  min_severity: 'Only this severity and higher',
  recommendation: 'What to do now',
  read: 'Whether it was marked as read',
  unread: 'Alerts that were not marked as read',
  watchlist_id: 'Watchlist item that it is about',
  enabled: 'Whether alerts are raised at all',
  default_alerts:
    'Rules for addresses that are added without `alerts`; with an empty list they raise no alerts',
  'default_alerts.wallet': 'Rules for wallets that are added without `alerts`',
  default_sensitivity: 'Sensitivity of watched addresses that have none of their own',
  thresholds: 'Values from which rules fire',
  creator_sell_usd: 'Sales by a creator of at least this many US dollars',
  channels: 'Where alerts are sent',
  webhook: 'To the webhooks, chats included',
  websocket: 'To open WebSockets and event streams',
  email: 'To e-mail addresses',
  dedupe_window_seconds: 'Seconds in which the same alert is raised only once',
  quiet_hours:
    'Hours of each day in which alerts are not sent, except critical ones unless `except_critical` is false; null: none',
  'quiet_hours.from': 'When they begin, HH:MM',
  'quiet_hours.to': 'When they end, HH:MM',
  timezone: 'Name of the time zone (IANA)',
  except_critical: 'Whether critical alerts are sent in quiet hours, too',

  // Webhooks and streams
  'Webhook.kind': 'What it delivers to: a program, a chat or a mailbox',
  'createWebhook.kind': 'What it delivers to: a program, a chat or a mailbox',
  chat_id: 'Chat of Telegram; null for other kinds',
  'Webhook.email': 'E-mail address; null for other kinds',
  'Webhook.language': 'Language of messages to people',
  'Webhook.digest': 'How often events are combined into one message to people; none: each at once',
  'Webhook.quiet_hours':
    'Hours of each day whose events are sent as one message when they end; null: none',
  'Webhook.id': 'Id of the webhook',
  id: 'Id of the webhook',
  events: 'Kinds of events that are sent',
  description: 'Your own note',
  'features.description': 'The finding, in a sentence',
  filters: 'Only events that match all of these',
  'searchAdvanced.filters': 'Conditions that all hits must match',
  addresses: 'Only events about these addresses',
  'Webhook.status': 'disabled: nothing is sent any more; `disabled_reason` says why',
  disabled_reason: 'Why it was disabled; null if it is not',
  'WebhookDelivery.id': 'Id of the delivery',
  event_id: 'Id of the event: the same for every attempt',
  'WebhookDelivery.type': 'Kind of the event',
  'WebhookPayload.type': 'Kind of the event',
  'WebhookDelivery.status':
    'pending: not attempted yet; failed: retried at `next_attempt_at`, or never if that is null; exhausted: not retried',
  'getWebhookDeliveries.status': 'Only deliveries with this status',
  attempt: 'Number of the last attempt, from 1',
  http_status: 'Response of your server; null if there was none',
  duration_ms: 'Milliseconds it took to answer',
  delivery_id: 'Id of the delivery',
  ticket: 'A ticket of POST /api/ws/ticket, in place of a key',
  last_event_id: 'Resume after this event; also by the header Last-Event-ID',

  // Searches, reports, feedback, statistics, usage
  query: 'The search text',
  'searchAdvanced.query': 'Text in names and symbols',
  entity: 'What to search',
  min: 'Lowest value, inclusive',
  max: 'Highest value, inclusive',
  'SearchHit.type': 'What the hit is',
  'SearchHit.id': '`token_` or `wallet_` and the address, or the id of the ring',
  relevance: 'How well it matches, 0 to 1',
  report_id: 'Id of the report',
  subject: 'What the report is about',
  language: 'Language of the text',
  title: 'Title of the report',
  'sections.title': 'Title of the section',
  'sections.id': 'Subject of the section',
  verdict: 'The verdict as of the report',
  summary: 'The report in a few sentences',
  sections: 'The text of the report',
  markdown: 'Text in Markdown',
  urls: 'Where the report is',
  self: 'As JSON',
  html: 'As a web page',
  pdf: 'For printing',
  format: 'Form of the answer',
  'Feedback.id': 'Id of the feedback',
  'getFeedback.id': 'Id of the feedback',
  'Feedback.kind': 'The verdict that you suggest',
  'addFeedback.kind': 'What the verdict is',
  'Feedback.status': 'Whether it is open, accepted or rejected',
  resolution: 'What was decided, and why; null while it is open',
  contact: 'Contact for questions',
  tokens_analyzed: 'Tokens with a verdict',
  wallets_tracked: 'Wallets with a record',
  clusters_detected: 'Rings',
  head: 'Newest block of the node',
  block: 'Newest block that has been processed',
  part: 'What is late',
  detail: 'By how much',
  day: 'Quota of the day (UTC)',
  minute: 'Quota of the minute',
  used: 'Counted requests',
  remaining: 'Remaining requests',
  requests: 'Requests in this hour',
  errors: 'Of these, answers from 400 on',
};

const hasOwnDescription = (field: Schema): boolean =>
  field.description !== undefined || (field.allOf ?? []).some(hasOwnDescription);

/**
 * Describes every field and parameter of an OpenAPI document that has no description.
 * @returns what is still undescribed, and the entries that were used
 */
export const describeFields = (
  document: Document,
): { readonly missing: readonly string[]; readonly used: ReadonlySet<string> } => {
  const missing: string[] = [];
  const used = new Set<string>();
  const describe = (field: Schema | Parameter, path: readonly string[]): void => {
    const found = entryFor(FIELD_DESCRIPTIONS, path);
    if (!found?.value) {
      missing.push(path.join('.'));
      return;
    }
    field.description = found.value;
    used.add(found.key);
  };
  const walk = (schema: Schema | undefined, path: readonly string[]): void => {
    if (!schema) return;
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (!hasOwnDescription(field)) describe(field, [...path, name]);
      walk(field, [...path, name]);
    }
    const { anyOf = [], allOf = [], oneOf = [], additionalProperties, items } = schema;
    for (const part of [...anyOf, ...allOf, ...oneOf, items]) walk(part, path);
    if (typeof additionalProperties === 'object') walk(additionalProperties, path);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, [name]);
  for (const { operation } of operationsIn(document)) {
    const { operationId, parameters = [], requestBody, responses } = operation;
    for (const parameter of parameters) {
      if ((parameter.description ?? parameter.schema?.description) === undefined) {
        describe(parameter, [operationId, parameter.name]);
      }
    }
    for (const body of [requestBody, ...Object.values(responses)]) {
      for (const { schema } of Object.values(body?.content ?? {})) walk(schema, [operationId]);
    }
  }
  return { missing, used };
};
