import { type Logger as PinoLogger, pino } from 'pino';
import { redactSecrets } from './redactSecrets.ts';

/** The part of a logger that modules use. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

/** Fields that must never reach a log, at any depth. */
const REDACTED = [
  'apiKey',
  'password',
  'secret',
  'authorization',
  '*.apiKey',
  '*.password',
  '*.secret',
];

/**
 * Lines kept while the log cannot be written, for example on a full disk. Further lines are dropped and counted.
 */
const UNWRITTEN_BYTES_MAX = 1_000_000;
const STDOUT = 1;

/**
 * JSON lines on standard output, one logger per role. Anything that looks like a secret is redacted. Lines about a
 * block have its hash as `blockHash` and its number as `block`; a token is `token`, a request `requestId`. A failed
 * write does not end the process: the lines are written when the output accepts data again.
 * @param chain of a role that works on one chain: included in every line
 */
export const createLogger = (role: string, level: string, chain?: number): PinoLogger => {
  const output = pino.destination({ dest: STDOUT, sync: true, maxLength: UNWRITTEN_BYTES_MAX });
  const logger = pino(
    {
      level,
      base: { role, ...(chain === undefined ? {} : { chain }) },
      redact: REDACTED,
      hooks: { streamWrite: redactSecrets },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    output,
  );
  let dropped = 0;
  output.on('error', () => undefined);
  output.on('drop', () => {
    dropped += 1;
  });
  output.on('drain', () => {
    if (dropped > 0) logger.warn({ dropped }, 'log lines could not be written and were dropped');
    dropped = 0;
  });
  return logger;
};

/** Logs nothing: for tests and for programs with an output of their own. */
export const silentLogger: Logger = pino({ level: 'silent' });
