import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Characters of what a proxy may call an address. */
const TEXT_LENGTH_MAX = 64;
/** Groups of 16 bits in the network of an IPv6 address: the rest is the client's to choose (RFC 6177). */
const NETWORK_GROUPS = 4;

/**
 * What limits of a client address count by: an IPv4 address, also one mapped into IPv6, or the /64 of an IPv6
 * address. Text that is no address is kept as it is.
 */
export const addressGroup = (address: string): string => {
  if (isIPv4(address)) return address;
  if (isIP(address) === 0) return address.slice(0, TEXT_LENGTH_MAX);
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = parsed.parts.slice(0, NETWORK_GROUPS).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
};
