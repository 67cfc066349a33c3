import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { projectRoot } from '../../shared/platform/projectRoot.ts';
import { startScript, type TestProcess, until } from '../../shared/testing/pipelineProcess.ts';
import { freePort } from '../../shared/testing/services.ts';
import { createSendDelivery } from '../../shared/webhooks/sendDelivery.ts';
import { createFindTarget, systemResolve } from '../../shared/webhooks/targetAddress.ts';

const TIMEOUT_MS = 90_000;
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

describe('the example of a receiver', () => {
  const secret = newSecret();
  let receiver: TestProcess;
  let url: string;
  const send = createSendDelivery({
    now: () => Date.now(),
    findTarget: createFindTarget({ resolve: systemResolve, allowPrivate: true }),
  });
  before(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}/`;
    const file = join(projectRoot(), 'api/examples/receiver.mjs');
    receiver = startScript('receiver', [file], { SECRET: secret, PORT: String(port) });
    const isUp = () => receiver.output().includes('listening') || undefined;
    await until('receiver is up', isUp, TIMEOUT_MS, [receiver]);
  });
  after(() => receiver.stop());

  const payload = JSON.stringify({
    type: 'watchlist.alert',
    id: 'msg_1',
    alert_type: 'rug_pull',
    severity: 'critical',
    token: { symbol: 'MPEPE' },
  });

  it('takes a signed event once, also while two secrets sign', async () => {
    const eventId = 'msg_1';
    const first = await send({ url, payload, signed: { eventId, secrets: [secret] } });
    const secrets = [newSecret(), secret];
    const again = await send({ url, payload, signed: { eventId, secrets } });
    assert.deepEqual([first.httpStatus, again.httpStatus], [200, 200]);
    assert.equal(receiver.output().match(/critical rug_pull: MPEPE/g)?.length, 1);
  });

  it('refuses what another signed', async () => {
    const signed = { eventId: 'msg_2', secrets: [newSecret()] };
    const made = await send({ url, payload, signed });
    assert.equal(made.httpStatus, 400);
  });
});
