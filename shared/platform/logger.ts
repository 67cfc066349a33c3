import { type Logger as PinoLogger, pino } from 'pino';
import { redactSecrets } from './redactSecrets.ts';

/** What a module may do with a log. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

/** Fields that must never reach a log, wherever they are. */
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
 * JSON lines on standard output, one logger a role. What looks like a secret leaves no process. Whatever concerns a
 * block has its hash as `blockHash` and its number as `block`, a token as `token`, a request as `requestId`.
 * @param chain of a role that works on one chain: in every line
 */
export const createLogger = (role: string, level: string, chain?: number): PinoLogger =>
  pino({
    level,
    base: { role, ...(chain === undefined ? {} : { chain }) },
    redact: REDACTED,
    hooks: { streamWrite: redactSecrets },
    timestamp: pino.stdTimeFunctions.isoTime,
  });

/** Logs nothing: for tests and programs with an output of their own. */
export const silentLogger: Logger = pino({ level: 'silent' });
