/** The ports of one stack, all on the loopback address. */
export type PortLayout = {
  api: number;
  nats: number;
  natsMonitoring: number;
  redis: number;
  clickhouseHttp: number;
  clickhouseTcp: number;
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
export const PORTS_PER_STACK = 13;
/** Lower ports belong to the system. */
export const PORT_BASE_MIN = 1_024;
/** The highest base whose last port exists. */
export const PORT_BASE_MAX = 65_536 - PORTS_PER_STACK;

/** Gives every part of a stack its port: the API at `base`, the others at the numbers after it. */
export const portLayout = (base: number): PortLayout => ({
  api: base,
  nats: base + 1,
  natsMonitoring: base + 2,
  redis: base + 3,
  clickhouseHttp: base + 4,
  clickhouseTcp: base + 5,
  devnet: base + 6,
  watcherHealth: base + 7,
  scorerHealth: base + 8,
  alertsHealth: base + 9,
  pushHealth: base + 10,
  clustersHealth: base + 11,
  apiHealth: base + 12,
});
