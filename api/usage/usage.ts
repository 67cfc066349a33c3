/** One request that was answered. */
export interface ServedRequest {
  readonly family: string;
  readonly keyId: string;
  /** Name of the operation, such as `getTokens`; never a path a client has written. */
  readonly operation: string;
  readonly status: number;
  /** Milliseconds it took. */
  readonly ms: number;
  /** Unix milliseconds of its end. */
  readonly atMs: number;
}

/** Requests of one key and operation within one hour, added up. */
export interface HourOfRequests {
  readonly family: string;
  readonly keyId: string;
  readonly operation: string;
  /** Unix seconds of the hour's beginning. */
  readonly hourS: number;
  readonly requests: number;
  readonly errors: number;
  /** Milliseconds of all requests together. */
  readonly ms: number;
  readonly lastAtMs: number;
}

/** What a key family did in one hour. */
export interface UsageHour {
  /** Unix seconds. */
  readonly hourS: number;
  readonly requests: number;
  readonly errors: number;
}

/** How much key families use the API. */
export interface Usage {
  /** Notes a request; never waits and never throws. */
  record(request: ServedRequest): void;
  /** The hours of the family since `fromS` (Unix seconds) with any request, oldest first. */
  hours(family: string, fromS: number): Promise<UsageHour[]>;
}
