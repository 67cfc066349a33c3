import type { PushEventBody } from '../events/pushEvent.ts';
import { type Alert, alertSchema, SEVERITIES, type Severity } from '../messages/alertMessage.ts';
import { ADVICE, adviceSentence } from '../rules/advice.ts';
import type { Language } from '../sentences/language.ts';
import { writeSentence } from '../sentences/writeSentence.ts';
import { alertPath, detailLine, detailLines } from './alertDetails.ts';
import { alertPhrase, isAlertPhrase } from './alertPhrases.ts';
import { plainName } from './plainName.ts';

/** Events that a digest lists individually. */
const NAMED_MAX = 10;
/** How and where a message is read. */
export interface Reader {
  readonly language: Language;
  /** Address of the API, for links to pages. */
  readonly baseUrl: string;
  /** Escapes untrusted text for the service's markup. */
  readonly escape: (text: string) => string;
  /** Maximum characters of a message. */
  readonly lengthMax: number;
}

/** A message in lines; the first line is the subject. */
export interface AlertText {
  readonly title: string;
  readonly text: string;
}

const isTest = ({ type }: PushEventBody): boolean => type === 'webhook.test';

const linkTo = (path: string, { baseUrl, language }: Reader): string =>
  `${baseUrl}${path}${language === 'en' ? '' : `?lang=${language}`}`;

/** The details of the alert in an event, also if the event withdraws it; none for other events. */
const detailsOf = ({ data }: PushEventBody): Alert['details'] =>
  alertSchema.shape.details.safeParse(data['details']).data ?? {};

const pageLink = (event: PushEventBody, reader: Reader): string =>
  linkTo(alertPath(event.token.address, detailsOf(event)), reader);

/** Which details are shown: none for a withdrawn alert. */
const saidDetails = (event: PushEventBody): Alert['details'] =>
  event.alert_type === 'alert_withdrawn' ? {} : detailsOf(event);

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

/** The recommendation, if the event has one. */
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

/** The text with as many parts as the service accepts. */
const longestOf = (
  textOf: (parts: number) => string,
  partsMax: number,
  { lengthMax }: Reader,
): string => {
  let parts = partsMax;
  while (parts > 0 && textOf(parts).length > lengthMax) parts -= 1;
  return textOf(parts);
};

const oneText = (event: PushEventBody, reader: Reader): AlertText => {
  if (isTest(event)) {
    const title = alertPhrase(reader.language, 'test');
    return { title, text: title };
  }
  const title = headline(event, reader);
  const known = detailLines(saidDetails(event), reader.language).map(reader.escape);
  const textOf = (shown: number): string =>
    [title, ...adviceLine(event, reader), ...known.slice(0, shown), pageLink(event, reader)].join(
      '\n',
    );
  return { title, text: longestOf(textOf, known.length, reader) };
};

/** Events of one digest, most severe first, then newest first. */
const byWeight = (a: PushEventBody, b: PushEventBody): number =>
  SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) ||
  (a.timestamp < b.timestamp ? 1 : -1);

const digestText = (events: readonly PushEventBody[], reader: Reader): AlertText => {
  const { language } = reader;
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
    .map((event) => {
      const known = detailLine(saidDetails(event), language);
      const lines = [headline(event, reader), reader.escape(known), pageLink(event, reader)];
      return lines.filter((line) => line !== '').join('\n');
    });
  const all = linkTo('/dashboard/alerts', reader);
  const textOf = (shown: number): string => {
    const left = events.length - shown;
    const rest = left > 0 ? [alertPhrase(language, 'more', { n: left, url: all })] : [];
    return [title, ...named.slice(0, shown), ...rest].join('\n\n');
  };
  return { title, text: longestOf(textOf, named.length, reader) };
};

/** The text for events: one event in full, several as a digest. */
export const alertText = (events: readonly PushEventBody[], reader: Reader): AlertText => {
  const [first, ...others] = events;
  if (!first) throw new Error('a message about no event');
  return others.length === 0 ? oneText(first, reader) : digestText(events, reader);
};
