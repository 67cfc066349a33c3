import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LANGUAGES, type Language } from '../../shared/sentences/language.ts';
import { createFindTarget } from '../../shared/webhooks/targetAddress.ts';
import { passwordField } from '../accounts/password.ts';
import { emailField } from '../server/schema.ts';
import { newWebhookSchema } from '../webhooks/schema.ts';
import { NOT_CONFIRMED } from '../webhooks/webhook.ts';
import { faultIn } from './faults.ts';
import { addressField, nameField } from './pages/fields.ts';

const OWN: readonly Language[] = LANGUAGES.filter((language) => language !== 'en');
describe('what is wrong with a field', () => {
  const issuesOf = (
    schema: { safeParse: (value: unknown) => { error?: { issues: { message: string }[] } } },
    ...values: unknown[]
  ): string[] =>
    values.flatMap(
      (value) => schema.safeParse(value).error?.issues.map((one) => one.message) ?? [],
    );

  it('is said in every language, for every rule that a form can break', async () => {
    const findTarget = createFindTarget({ resolve: async () => [], allowPrivate: false });
    const refusals = await Promise.all(
      [
        'x',
        'http://a.example',
        'https://u:p@a.example',
        'https://a.example#x',
        'https://a.example:99',
        'https://10.0.0.1',
        'https://a.example',
      ].map((url) =>
        findTarget(url).then(
          () => url,
          ({ message }: Error) => message,
        ),
      ),
    );
    const events = ['watchlist.alert'];
    const faults = [
      ...issuesOf(passwordField, '', 'AB', 'ab1', `aA1!${'x'.repeat(200)}`),
      ...issuesOf(emailField, 'no', `${'x'.repeat(400)}@example.org`),
      ...issuesOf(nameField, '', 'x'.repeat(200), 'a\u0000b'),
      ...issuesOf(addressField, '0x12'),
      ...issuesOf(
        newWebhookSchema,
        { kind: 'telegram', bot_token: 'no', chat_id: 'no one', events },
        { kind: 'email', email: 'no', events: [] },
        {
          kind: 'email',
          email: 'a@example.org',
          events,
          quiet_hours: { from: '25:00', to: 'x', timezone: 'Nowhere/At_all' },
        },
      ),
      ...issuesOf(
        newWebhookSchema,
        ...(['webhook', 'slack', 'discord'] as const).flatMap((kind) => [
          { kind, url: 'no', events },
          { kind, url: 'https://a.example/hook', events },
          { kind, events },
        ]),
        { kind: 'slack', url: 'https://hooks.slack.com/services/a', events: [] },
      ).map((message) => (message === 'Required' ? 'is required' : message)),
      ...refusals,
      NOT_CONFIRMED,
    ];
    assert.ok(faults.length >= 15, `only ${faults.length} rules were broken`);
    for (const fault of faults) {
      for (const language of OWN) assert.notEqual(faultIn(language, fault), fault, fault);
    }
  });

  it('keeps the numbers of the rule', () => {
    assert.equal(faultIn('ru', 'must have at least 8 characters'), 'не менее 8 знаков');
    assert.equal(faultIn('es', 'must use port 443 or 8443'), 'debe usar el puerto 443 o 8443');
    assert.equal(faultIn('zh', 'a rule that only the API has'), 'a rule that only the API has');
  });
});
