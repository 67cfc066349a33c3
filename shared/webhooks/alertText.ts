import type { PushEventBody } from '../events/pushEvent.ts';
import { SEVERITIES, type Severity } from '../messages/alertMessage.ts';
import { ADVICE, adviceSentence } from '../rules/advice.ts';
import type { Language } from '../sentences/language.ts';
import { writeSentence } from '../sentences/writeSentence.ts';
import { alertPhrase, isAlertPhrase } from './alertPhrases.ts';

/** Letters of a name that a creator chose. */
const NAME_LENGTH_MAX = 40;
/** Events that a digest names one by one. */
const NAMED_MAX = 10;
/** A dot between letters makes an address that chats turn into a link: it is put into brackets. */
const DOT_OF_ADDRESS = /(?<=[\p{L}\p{N}])[.。．｡](?=\p{L})/gu;

/**
 * A name that a creator chose, as text that no chat makes a link, a mention or a second line of: without what cannot be seen or
 * turns the direction of text, with dots of addresses in brackets.
 */
export const plainName = (text: string): string => {
  const seen = text
    .replace(/[\p{Z}\s]+/gu, ' ')
    .replace(/[\p{C}\ufffd]/gu, '')
    .replace(DOT_OF_ADDRESS, '[.]')
    .replace(/@/g, '(at)')
    .trim();
  const letters = Array.from(seen);
  return letters.length > NAME_LENGTH_MAX ? `${letters.slice(0, NAME_LENGTH_MAX).join('')}…` : seen;
};

/** How and where a message is read. */
export interface Reader {
  readonly language: Language;
  /** Address of the API, for links to pages. */
  readonly baseUrl: string;
  /** Makes text of strangers literal in the markup of the service. */
  readonly escape: (text: string) => string;
  /** Characters of a message. */
  readonly lengthMax: number;
}

/** A message in lines; the first one says what it is about. */
export interface AlertText {
  readonly title: string;
  readonly text: string;
}

const isTest = ({ type }: PushEventBody): boolean => type === 'webhook.test';

const linkTo = (path: string, { baseUrl, language }: Reader): string =>
  `${baseUrl}${path}${language === 'en' ? '' : `?lang=${language}`}`;

const tokenLink = ({ token }: PushEventBody, reader: Reader): string =>
  linkTo(`/token/${token.address}`, reader);

const phraseOr = (name: string, { language, escape }: Reader): string =>
  isAlertPhrase(name) ? alertPhrase(language, name) : escape(plainName(name));

/** `CRITICAL · Rug pull · Moon Pepe (MPEPE)` */
const headline = (event: PushEventBody, reader: Reader): string => {
  const { alert_type: alertType, severity, token, data } = event;
  const { escape, language } = reader;
  const [name, symbol] = [plainName(token.name), plainName(token.symbol)];
  const called = symbol === '' || symbol === name ? name : `${name} (${symbol})`;
  const withdrawn = typeof data['type'] === 'string' ? [phraseOr(data['type'], reader)] : [];
  return [
    alertPhrase(language, severity),
    phraseOr(alertType, reader),
    ...(alertType === 'alert_withdrawn' ? withdrawn : []),
    escape(called === '' ? token.address : called),
  ].join(' · ');
};

/** What to do, where the event says so. */
const adviceLine = ({ alert_type: type, data }: PushEventBody, { language }: Reader): string[] => {
  if (type === 'alert_withdrawn') return [];
  const { recommendation } = data;
  if (typeof recommendation === 'string' && isAlertPhrase(recommendation))
    return [alertPhrase(language, recommendation)];
  const { is_rug: isRug, confidence } = data;
  if (!ADVICE.some((advice) => advice === data['advice']) || typeof confidence !== 'number') {
    return [];
  }
  const prediction = isRug === true ? 'SCAM' : 'LEGIT';
  return [writeSentence(adviceSentence({ prediction, confidence }), language)];
};

const oneText = (event: PushEventBody, reader: Reader): AlertText => {
  if (isTest(event)) {
    const title = alertPhrase(reader.language, 'test');
    return { title, text: title };
  }
  const title = headline(event, reader);
  const lines = [title, ...adviceLine(event, reader), tokenLink(event, reader)];
  return { title, text: lines.join('\n') };
};

/** Events of one digest, the most serious first, the newest of those first. */
const byWeight = (a: PushEventBody, b: PushEventBody): number =>
  SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) ||
  (a.timestamp < b.timestamp ? 1 : -1);

const digestText = (events: readonly PushEventBody[], reader: Reader): AlertText => {
  const { language, lengthMax } = reader;
  const count = (severity: Severity): number =>
    events.filter((event) => event.severity === severity).length;
  const title = alertPhrase(language, 'digest', {
    all: events.length,
    critical: count('critical'),
    warning: count('warning'),
    info: count('info'),
  });
  const named = events
    .toSorted(byWeight)
    .slice(0, NAMED_MAX)
    .map((event) => `${headline(event, reader)}\n${tokenLink(event, reader)}`);
  const all = linkTo('/dashboard/alerts', reader);
  const textOf = (shown: number): string => {
    const left = events.length - shown;
    const rest = left > 0 ? [alertPhrase(language, 'more', { n: left, url: all })] : [];
    return [title, ...named.slice(0, shown), ...rest].join('\n\n');
  };
  let shown = named.length;
  while (shown > 0 && textOf(shown).length > lengthMax) shown -= 1;
  return { title, text: textOf(shown) };
};

/** What people read of events: of one as it is, of several a digest. */
export const alertText = (events: readonly PushEventBody[], reader: Reader): AlertText => {
  const [first, ...others] = events;
  if (!first) throw new Error('a message about no event');
  return others.length === 0 ? oneText(first, reader) : digestText(events, reader);
};
