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

/** What is kept of a log that cannot be written, such as on a full disk. Further lines are dropped and counted. */
const UNWRITTEN_BYTES_MAX = 1_000_000;
const STDOUT = 1;

/**
 * JSON lines on standard output, one logger a role. What looks like a secret leaves no process. Whatever concerns a
 * block has its hash as `blockHash` and its number as `block`, a token as `token`, a request as `requestId`.
 * Lines that cannot be written end no process: they are written when the output takes lines again.
 * @param chain of a role that works on one chain: in every line
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

/** Logs nothing: for tests and programs with an output of their own. */
export const silentLogger: Logger = pino({ level: 'silent' });
