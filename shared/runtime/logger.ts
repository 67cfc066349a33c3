import { type Logger as PinoLogger, pino } from 'pino';
import { withoutSecrets } from './withoutSecrets.ts';

/** What a module may do with a log. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error'>;

/** Fields that must never reach a log, wherever they stand. */
const REDACTED = [
  'apiKey',
  'password',
  'secret',
  'authorization',
  '*.apiKey',
  '*.password',
  '*.secret',
];

/** JSON lines on standard output, one logger a role. What looks like a secret leaves no process. */
export const createLogger = (role: string, level: string): PinoLogger =>
  pino({
    level,
    base: { role },
    redact: REDACTED,
    hooks: { streamWrite: withoutSecrets },
    timestamp: pino.stdTimeFunctions.isoTime,
  });

/** Says nothing: for tests and programs with an output of their own. */
export const silentLogger: Logger = pino({ level: 'silent' });
