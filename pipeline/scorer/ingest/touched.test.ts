import assert from 'node:assert/strict';
import { it } from 'node:test';
import { blocksEvent } from '../../../shared/testing/blocksEvent.ts';
import { addressesOf, topicOf } from '../../../shared/testing/evmData.ts';
import { factOf } from '../../../shared/testing/facts.ts';
import { touchedBy } from './touched.ts';

// What else facts touch is in `discovery.test.ts`, and what is found by it in `pipeline/simulation.test.ts`.
it('a contract is first seen by its creation, even where its constructor sends a transfer first', () => {
  const [token, creator, other] = addressesOf(1, 2, 3);
  const facts = [
    factOf('transfer', 1, { token }),
    factOf('creation', 1, { contract: token, creator }),
    factOf('transfer', 2, { token }),
    ...[3, 4].map((n) => factOf('transfer', n, { token: other })),
  ];
  const block = { number: 1, hash: topicOf(1), timestampS: 101, facts };
  const { firstSeen } = touchedBy([blocksEvent([block])]);
  assert.equal(firstSeen.get(other)?.length, 1);
  assert.deepEqual(
    firstSeen.get(token)?.map((seen) => [seen.source, seen.creator]),
    [
      ['creation', creator],
      ['transfer', undefined],
    ],
  );
});
