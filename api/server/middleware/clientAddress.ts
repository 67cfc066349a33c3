import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Maximum characters of an address reported by a proxy. */
const TEXT_LENGTH_MAX = 64;
/** 16-bit groups in the network part of an IPv6 address: the client can choose the rest (RFC 6177). */
const NETWORK_GROUPS = 4;

/**
 * The unit by which client addresses are limited: an IPv4 address, also one mapped into IPv6, or the /64 of an IPv6
 * address. Text that is not an address is kept unchanged.
 */
export const addressGroup = (address: string): string => {
  if (isIPv4(address)) return address;
  if (isIP(address) === 0) return address.slice(0, TEXT_LENGTH_MAX);
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = parsed.parts.slice(0, NETWORK_GROUPS).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
};
