import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that a name server may take before its last answer is used instead. */
const ANSWER_MS = 250;

const askSystem = (host: string): Promise<LookupAddress[]> => lookup(host, { all: true });

/**
 * A `lookup` for connections to a server that rarely moves: while the name server is slow or denies the name, the
 * last known address is used. Name servers of container networks do not answer for 5 to 20 s, or deny names for a
 * moment, while other containers are restarted. Only one query per host runs at a time, because each occupies one of
 * Node's four threads.
 */
export const createLookup = (ask = askSystem): LookupFunction => {
  const known = new Map<string, LookupAddress[]>();
  const asked = new Map<string, Promise<LookupAddress[]>>();

  const askOnce = (host: string): Promise<LookupAddress[]> => {
    const pending = asked.get(host);
    if (pending) return pending;
    const question = ask(host)
      .then((addresses) => {
        known.set(host, addresses);
        return addresses;
      })
      .finally(() => asked.delete(host));
    asked.set(host, question);
    return question;
  };

  const addressesOf = (host: string): Promise<LookupAddress[]> => {
    const last = known.get(host);
    const answer = askOnce(host);
    if (!last) return answer;
    return Promise.race([answer.catch(() => last), sleep(ANSWER_MS, last)]);
  };

  return (host, options, callback) => {
    addressesOf(host).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
};
