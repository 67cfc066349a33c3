/** The place that one webhook takes in a lane while it is worked on. */
export interface Place {
  /** Leaves it to others because so many attempts take long; does nothing where too many are beside their lane already. */
  leave(attempts: number): void;
  hasLeft(): boolean;
  /** The work on the webhook has ended. */
  end(): void;
}

/** Places of a lane: bounded, and none is held for long by a receiver that does not answer. */
export interface Places {
  free(): number;
  take(): Place;
}

/**
 * @param limits.places webhooks in their places at the same time
 * @param limits.attemptsBeside attempts under way of webhooks that have left their places
 * @param onFree called when a place has become free
 */
export const createPlaces = (
  limits: { readonly places: number; readonly attemptsBeside: number },
  onFree: () => void,
): Places => {
  let taken = 0;
  let beside = 0;
  const take = (): Place => {
    let own = 0;
    taken += 1;
    return {
      leave: (attempts) => {
        if (own > 0 || beside + attempts > limits.attemptsBeside) return;
        own = attempts;
        beside += own;
        taken -= 1;
        onFree();
      },
      hasLeft: () => own > 0,
      end: () => {
        if (own > 0) beside -= own;
        else taken -= 1;
        onFree();
      },
    };
  };
  return { free: () => limits.places - taken, take };
};
