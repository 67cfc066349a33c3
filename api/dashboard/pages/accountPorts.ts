import type { Mailer } from '../../../shared/platform/mailer.ts';
import type { AccountStore } from '../../accounts/accountStore.ts';
import type { IdentityProvider } from '../../accounts/identityProvider.ts';
import type { OneTimeStore } from '../../accounts/oneTimeStore.ts';
import type { Passwords } from '../../accounts/password.ts';
import type { SecondFactor } from '../../accounts/secondFactor.ts';
import type { SessionStore } from '../../accounts/sessionStore.ts';
import type { Subject, Throttle } from '../../accounts/throttle.ts';
import { addressGroup } from '../../server/middleware/clientAddress.ts';
import type { Visit } from '../page.ts';
import { phrasesIn } from '../phrases.ts';

/** Dependencies of account pages. */
export interface AccountPorts {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly oneTime: OneTimeStore;
  readonly throttle: Throttle;
  readonly passwords: Passwords;
  readonly secondFactor: SecondFactor;
  readonly mailer: Mailer;
  /** Absent if none is configured. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** Where a local stack without a mail server stores mails. */
  readonly mailFolder?: string | undefined;
  /** Base URL of the service, without a trailing slash, for links in mails. */
  readonly baseUrl: string;
}

const MINUTE_S = 60;

/** The subject of an attempt: an e-mail address, or the id of an account. */
export const subjectOf = (account: string, { browser }: Pick<Visit, 'browser'>): Subject => ({
  account,
  from: addressGroup(browser.address),
});

/** The message for a user who has to wait; the same whether or not the account exists. */
export const tooManyAttempts = (waitS: number, { language }: Pick<Visit, 'language'>): string => {
  const say = phrasesIn(language);
  const minutes = Math.ceil(waitS / MINUTE_S);
  return minutes > 1 ? say('waitMinutes', { n: minutes }) : say('waitMinute');
};
