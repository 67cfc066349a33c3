import { RetryableError } from '../../shared/runtime/errors.ts';
import type { AppendFailure } from './ports.ts';

/**
 * The stream did not take a message: `wrongLastSequence` another publisher or a lost tail, `full`
 * its readers are behind, `unavailable` no answer in time (the message may have been stored).
 */
export class AppendError extends RetryableError {
  readonly failure: AppendFailure;

  constructor(failure: AppendFailure, message: string) {
    super(message);
    this.failure = failure;
  }
}

/** The stream holds something else than was published: its reader must start over from it. */
export class StreamMovedError extends RetryableError {}
