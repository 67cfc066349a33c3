import { z } from 'zod';
import { errorMessage } from '../../../shared/platform/errors.ts';
import type { Logger } from '../../../shared/platform/logger.ts';
import { FEEDBACK_KINDS, type Feedback } from '../../feedback/feedbackStore.ts';
import type { Tokens } from '../../tokens/createTokens.ts';
import type { Jobs } from '../../tokens/jobs.ts';
import {
  type AccountVisit,
  type Answer,
  definePages,
  type FieldErrors,
  goTo,
  showForm,
} from '../page.ts';
import { phrasesIn } from '../phrases.ts';
import { addressOf, notKnown } from './tokens.ts';
import { type FamilyPorts, type FamilyVisit, ofFamily } from './watching.ts';

/** Dependencies of disputes. */
export interface DisputePorts extends FamilyPorts {
  readonly tokens: Tokens;
  readonly feedback: Feedback;
  readonly jobs: Pick<Jobs, 'start'>;
  readonly logger: Logger;
}

const DETAILS_LENGTH_MIN = 10;
const DETAILS_LENGTH_MAX = 4_000;
const formSchema = z.object({
  kind: z.enum(FEEDBACK_KINDS),
  details: z.string().trim().min(DETAILS_LENGTH_MIN).max(DETAILS_LENGTH_MAX),
});

const showDispute = async (
  ports: DisputePorts,
  visit: AccountVisit,
  given: { details?: string; errors?: FieldErrors } = {},
) => {
  const address = addressOf(visit);
  const verdict = address && (await ports.tokens.find(address));
  if (!verdict) return notKnown('token', visit);
  const { details = '', errors = {} } = given;
  const families = await ports.accounts.families(visit.by.account.id);
  const items = (await Promise.all(families.map((family) => ports.feedback.list(family)))).flat();
  const disputes = items.filter((item) => item.address === address);
  return showForm('dispute', 'disputeTitle', { verdict, details, errors, disputes });
};

const send = async (ports: DisputePorts, visit: FamilyVisit): Promise<Answer> => {
  const say = phrasesIn(visit.language);
  const details = visit.form.text('details');
  const parsed = formSchema.safeParse({ kind: visit.form.text('kind'), details });
  const address = addressOf(visit);
  if (!parsed.success || !address) {
    const bounds = { min: DETAILS_LENGTH_MIN, max: DETAILS_LENGTH_MAX };
    const errors = parsed.success ? {} : { details: say('detailsLength', bounds) };
    return showDispute(ports, visit, { details, errors });
  }
  const { family } = visit.chosen;
  const item = await ports.feedback.add({ ...parsed.data, family, address, contact: '' });
  if (!item)
    return showDispute(ports, visit, { details, errors: { details: say('tooManyDisputes') } });
  try {
    await ports.jobs.start({ family, token: address, force: true });
  } catch (error) {
    // The dispute is stored whether or not the analysis can be queued.
    ports.logger.warn({ feedback: item.id }, `not analysed again: ${errorMessage(error)}`);
  }
  return goTo(`/token/${address}?done=disputed`);
};

/** Pages for disputing a verdict. */
export const disputePages = definePages<DisputePorts>([
  ['account', 'get', '/dashboard/dispute/:address', showDispute],
  ['account', 'post', '/dashboard/dispute/:address', ofFamily('disputeTitle', send)],
]);
