/** What the push role did since its start. */
export interface PushCounts {
  /** Events taken from the stream. */
  events: number;
  /** Deliveries planned. */
  planned: number;
  delivered: number;
  retry: number;
  exhausted: number;
  gone: number;
  /** Deliveries ended without an attempt: their webhook is not active, its family's tier has none, or too many wait. */
  setAside: number;
  /** Events not sent to a webhook because its family's tier has none. */
  barred: number;
  disabled: number;
  /** Messages that can never become an event. */
  poison: number;
  /** Outcomes that could not be stored at once; they are stored later. */
  unsaved: number;
}

export const newCounts = (): PushCounts => ({
  events: 0,
  planned: 0,
  delivered: 0,
  retry: 0,
  exhausted: 0,
  gone: 0,
  setAside: 0,
  barred: 0,
  disabled: 0,
  poison: 0,
  unsaved: 0,
});
