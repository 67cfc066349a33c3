import type { Subject } from '../../accounts/throttle.ts';
import { addressGroup } from '../../server/middleware/clientAddress.ts';
import type { Visit } from '../page.ts';

const MINUTE_S = 60;

/** Who tries something for an account: an e-mail address, or its id. */
export const subjectOf = (account: string, { browser }: Pick<Visit, 'browser'>): Subject => ({
  account,
  from: addressGroup(browser.address),
});

/** What somebody reads who has to wait; the same whether there is such an account. */
export const tooManyAttempts = (waitS: number): string => {
  const minutes = Math.ceil(waitS / MINUTE_S);
  const time = minutes > 1 ? `${minutes} minutes` : 'a minute';
  return `Too many attempts. Try again in ${time}.`;
};
