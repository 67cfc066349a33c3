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

/** What pages about accounts need. */
export interface AccountPorts {
  readonly accounts: AccountStore;
  readonly sessions: SessionStore;
  readonly oneTime: OneTimeStore;
  readonly throttle: Throttle;
  readonly passwords: Passwords;
  readonly secondFactor: SecondFactor;
  readonly mailer: Mailer;
  /** Absent where none is configured. */
  readonly identityProvider?: IdentityProvider | undefined;
  /** Where mails are to be found on a local stack without a mail server. */
  readonly mailFolder?: string | undefined;
  /** Address of the service without a slash at the end, for links in mails. */
  readonly baseUrl: string;
}

const MINUTE_S = 60;

/** Who tries something for an account: an e-mail address, or its id. */
export const subjectOf = (account: string, { browser }: Pick<Visit, 'browser'>): Subject => ({
  account,
  from: addressGroup(browser.address),
});

/** What somebody reads who has to wait; the same whether there is such an account. */
export const tooManyAttempts = (waitS: number, { language }: Pick<Visit, 'language'>): string => {
  const say = phrasesIn(language);
  const minutes = Math.ceil(waitS / MINUTE_S);
  return minutes > 1 ? say('waitMinutes', { n: minutes }) : say('waitMinute');
};
