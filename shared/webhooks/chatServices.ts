import type { Refusal } from './sendDelivery.ts';

/** Services to which messages are posted, each with its own addresses. */
export const CHAT_KINDS = ['telegram', 'discord', 'slack'] as const;
export type ChatKind = (typeof CHAT_KINDS)[number];
export type ChatOrigins = Readonly<Record<ChatKind, string>>;

/** Base URLs of the services. */
export const CHAT_ORIGINS: ChatOrigins = {
  telegram: 'https://api.telegram.org',
  discord: 'https://discord.com',
  slack: 'https://hooks.slack.com',
};

interface ChatPost {
  readonly path: string;
  readonly body: object;
}

interface ChatService {
  /** Maximum characters of one message, below the service's limit. */
  readonly lengthMax: number;
  /** Escapes untrusted text. */
  readonly escape: (text: string) => string;
  /** @param credential the secret: the path of the hook, or the token of the bot */
  readonly post: (credential: string, recipient: string, text: string) => ChatPost;
  /** Whether an answer means that the target no longer exists. */
  readonly isGone: (httpStatus: number, said: string) => boolean;
}

/** Statuses of hooks that were removed: Slack's archived channels answer 410. */
const NO_HOOK: ReadonlySet<number> = new Set([404, 410]);
/** Discord's flag SUPPRESS_EMBEDS. */
const WITHOUT_PREVIEWS = 4;

const SERVICES: Readonly<Record<ChatKind, ChatService>> = {
  telegram: {
    lengthMax: 4_000,
    // Without `parse_mode` all text is literal.
    escape: (text) => text,
    post: (token, chatId, text) => ({
      path: `/bot${token}/sendMessage`,
      body: { chat_id: chatId, text, link_preview_options: { is_disabled: true } },
    }),
    // 401 and 404: the token is invalid; 403: the bot was blocked or removed.
    isGone: (status, said) =>
      [401, 403, 404].includes(status) ||
      (status === 400 &&
        /chat not found|upgraded to a supergroup|group is deactivated/i.test(said)),
  },
  discord: {
    lengthMax: 1_900,
    escape: (text) => text.replace(/[!-/:-@[-`{-~]/g, '\\$&'),
    post: (path, _recipient, content) => ({
      path,
      body: { content, allowed_mentions: { parse: [] }, flags: WITHOUT_PREVIEWS },
    }),
    isGone: (status) => status === 401 || NO_HOOK.has(status),
  },
  slack: {
    lengthMax: 3_500,
    escape: (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;'),
    post: (path, _recipient, text) => ({
      path,
      body: { text, mrkdwn: false, unfurl_links: false, unfurl_media: false },
    }),
    isGone: (status) => NO_HOOK.has(status),
  },
};

/** Request format of a service. */
export const chatService = (kind: ChatKind): ChatService => SERVICES[kind];

const SAID_LENGTH_MAX = 120;
const MS = 1_000;

const numberAt = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;

/** Reads the reason of a refusal: JSON from Telegram and Discord, one word from Slack. */
export const readRefusal =
  (kind: ChatKind) =>
  (httpStatus: number, answer: string): Refusal => {
    let fields: Readonly<Record<string, unknown>> = {};
    try {
      const parsed: unknown = JSON.parse(answer);
      if (typeof parsed === 'object' && parsed !== null) fields = parsed as typeof fields;
    } catch {
      fields = { description: answer };
    }
    const parameters = (fields['parameters'] ?? {}) as Readonly<Record<string, unknown>>;
    const waitS = numberAt(parameters['retry_after']) ?? numberAt(fields['retry_after']);
    const words = fields['description'] ?? fields['message'];
    const said = (typeof words === 'string' ? words : '')
      .replace(/[\p{C}\s]+/gu, ' ')
      .trim()
      .slice(0, SAID_LENGTH_MAX);
    return {
      error: said === '' ? 'non-2xx' : said,
      retryAfterMs: waitS === undefined ? null : Math.ceil(waitS * MS),
      isGone: SERVICES[kind].isGone(httpStatus, said),
    };
  };

/** The secret part of a hook's URL, its path; undefined if it is not a hook of the service. */
export const hookPathOf = (kind: 'discord' | 'slack', url: string): string | undefined =>
  HOOK_URLS[kind].exec(url.trim())?.[1];

const HOOK_URLS = {
  slack: /^https:\/\/hooks\.slack\.com(\/services\/[A-Z0-9]{1,32}\/[A-Z0-9]{1,32}\/\w{1,64})$/i,
  discord:
    /^https:\/\/(?:(?:canary|ptb)\.)?(?:discord|discordapp)\.com(\/api\/(?:v\d{1,2}\/)?webhooks\/\d{1,20}\/[\w-]{1,128})$/i,
} as const;
