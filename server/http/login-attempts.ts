import ipaddr from 'ipaddr.js';

/** Wrong passwords from one address that are free: people mistype. */
const free = 5;
/** The wait after the first failure beyond those, in ms. It doubles with each further one, up to the longest. */
const firstMs = 1_000;
const longestMs = 60_000;
/** An address without a failure for this long, in ms, starts again at zero. */
const forgetMs = 15 * 60_000;
/** How many addresses are remembered; beyond that the one that failed longest ago is forgotten. */
const mostAddresses = 10_000;
/** This many failures within a window (ms) are an attack from many addresses: then no failure is free. */
const mostInAll = 100;
const windowMs = 60_000;

/** Slows down password guessing. `now` is in ms of one clock. */
export interface LoginAttempts {
  /** How long a guess from this address must wait before it is checked, in ms; 0: not at all. */
  waitOf(address: string, now: number): number;
  noteFailure(address: string, now: number): void;
  noteSuccess(address: string): void;
}

/**
 * Counts failures for each address and in total. An address that has not failed never waits, so an attacker can't lock
 * out those who know the password. An IPv6 network of 64 bits counts as one address: its owner has all of them.
 */
export function createLoginAttempts(): LoginAttempts {
  const failures = new Map<string, { readonly count: number; readonly at: number }>();
  let all = { count: 0, since: 0 };
  return {
    waitOf(address, now) {
      const own = failures.get(networkOf(address));
      if (own === undefined || now - own.at > forgetMs) return 0;
      const isAttack = all.count >= mostInAll && now - all.since <= windowMs;
      return Math.max(0, own.at + (isAttack ? longestMs : waitAfter(own.count)) - now);
    },
    noteFailure(address, now) {
      const network = networkOf(address);
      const before = failures.get(network);
      const isRecent = before !== undefined && now - before.at <= forgetMs;
      // Deleted first, so that the map's order is that of the latest failures.
      failures.delete(network);
      failures.set(network, { count: isRecent ? before.count + 1 : 1, at: now });
      const [oldest] = failures.keys();
      if (failures.size > mostAddresses && oldest !== undefined) failures.delete(oldest);
      all = now - all.since > windowMs ? { count: 1, since: now } : { ...all, count: all.count + 1 };
    },
    noteSuccess(address) {
      failures.delete(networkOf(address));
    },
  };
}

function waitAfter(count: number): number {
  return count <= free ? 0 : Math.min(longestMs, firstMs * 2 ** (count - free - 1));
}

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  return parsed.kind() === 'ipv6' ? bytes.slice(0, 8).join('.') : parsed.toString();
}
