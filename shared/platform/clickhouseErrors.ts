import { ClickHouseError } from '@clickhouse/client';
import { ZodError } from 'zod';
import { errorMessage, FatalError, RetryableError } from './errors.ts';

/**
 * Server errors that pass: time-outs, memory and concurrency limits, too many parts, read-only or
 * missing replicas, a full disk, a connection cut in the middle of a request.
 * Codes: ClickHouse `src/Common/ErrorCodes.cpp`.
 */
const PASSING_CODES: ReadonlySet<string> = new Set([
  '3', // UNEXPECTED_END_OF_FILE
  '33', // CANNOT_READ_ALL_DATA
  '159', // TIMEOUT_EXCEEDED
  '164', // READONLY
  '202', // TOO_MANY_SIMULTANEOUS_QUERIES
  '209', // SOCKET_TIMEOUT
  '210', // NETWORK_ERROR
  '236', // ABORTED
  '241', // MEMORY_LIMIT_EXCEEDED
  '242', // TABLE_IS_READ_ONLY
  '243', // NOT_ENOUGH_SPACE
  '252', // TOO_MANY_PARTS
  '279', // ALL_CONNECTION_TRIES_FAILED
  '319', // UNKNOWN_STATUS_OF_INSERT
  '394', // QUERY_WAS_CANCELLED
  '425', // SYSTEM_ERROR
  '999', // KEEPER_EXCEPTION
]);

/** A wrong statement or row shape is a bug and stops the process; everything else passes. */
export const classifyClickhouseError = (error: unknown): Error => {
  if (error instanceof ZodError) {
    return new FatalError(`unexpected row from ClickHouse: ${error.message}`, { cause: error });
  }
  if (error instanceof ClickHouseError && !PASSING_CODES.has(error.code)) {
    return new FatalError(`ClickHouse ${error.code}: ${error.message.slice(0, 500)}`, {
      cause: error,
    });
  }
  return new RetryableError(`ClickHouse: ${errorMessage(error).slice(0, 500)}`, { cause: error });
};

const TOO_MANY_ROWS = '158';

/** Whether a query was refused because it would have read more rows than its `max_rows_to_read`. */
export const isTooManyRows = (error: unknown): boolean =>
  error instanceof FatalError &&
  error.cause instanceof ClickHouseError &&
  error.cause.code === TOO_MANY_ROWS;
