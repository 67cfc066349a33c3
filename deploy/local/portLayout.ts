/** The ports of one stack, all on the loopback address. */
export type PortLayout = {
  api: number;
  nats: number;
  redis: number;
  clickhouseHttp: number;
  devnet: number;
  watcherHealth: number;
  scorerHealth: number;
  alertsHealth: number;
  pushHealth: number;
  clustersHealth: number;
  apiHealth: number;
};

/** The API's port in a stack that is given none. */
export const PORT_BASE_DEFAULT = 8_080;
/** How many ports a stack takes from its base upward. */
export const PORTS_PER_STACK = 11;
/** Lower ports belong to the system. */
export const PORT_BASE_MIN = 1_024;
/** The highest base whose last port exists. */
export const PORT_BASE_MAX = 65_536 - PORTS_PER_STACK;

/** Gives every part of a stack its port: the API at `base`, the others at the numbers after it. */
export const portLayout = (base: number): PortLayout => ({
  api: base,
  nats: base + 1,
  apiHealth: base + 2,
  redis: base + 3,
  clickhouseHttp: base + 4,
  devnet: base + 5,
  watcherHealth: base + 6,
  scorerHealth: base + 7,
  alertsHealth: base + 8,
  pushHealth: base + 9,
  clustersHealth: base + 10,
});
