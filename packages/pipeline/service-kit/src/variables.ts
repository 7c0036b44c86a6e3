import leven from 'leven';
import { ConfigError } from './config.ts';
import { knownVariables } from './generated/variables.ts';

/** Kubernetes and Docker set these for a service whose name begins with `weir`. */
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const linkedPort = /^(tcp|udp|sctp):\/\//;
/** Of the tests and benchmarks in this repository. */
const forTests = /^WEIR_(TEST|BENCH|CHAOS|CHECK|CONTAINERS)_/;

/**
 * A warning for each variable `WEIR_…` that no part of Weir knows. Throws `ConfigError` when one resembles a known name: a mistyped setting
 * would silently have its default. Each process knows the variables of all parts, because they often share one environment.
 */
export function checkVariables(env: NodeJS.ProcessEnv): string[] {
  const known = new Set(knownVariables);
  const isUnknown = ([name, value]: [string, string | undefined]): boolean =>
    name.startsWith('WEIR_') &&
    value !== undefined &&
    value !== '' &&
    !known.has(name) &&
    !forTests.test(name) &&
    !serviceLink.test(name) &&
    !(name.endsWith('_PORT') && linkedPort.test(value));
  const unknown = Object.entries(env)
    .filter(isUnknown)
    .map(([name]) => name)
    .toSorted();
  const mistyped = unknown.flatMap((name) => {
    const near = nearest(name);
    return near === undefined ? [] : [`${name} is unknown; did you mean ${near}?`];
  });
  if (mistyped.length > 0) throw new ConfigError(`setting ${mistyped.join(' setting ')}`);
  return unknown.map((name) => `variable ${name} is no setting of Weir and has no effect`);
}

function nearest(name: string): string | undefined {
  const withoutPrefix = name.slice('WEIR_'.length);
  if (knownVariables.includes(withoutPrefix)) return withoutPrefix;
  // One error in five letters, so that a short name of another program is not taken for a setting.
  const most = Math.min(3, Math.floor(withoutPrefix.length / 5) + 1);
  const distances = knownVariables.map((known) => leven(name, known, { maxDistance: most + 1 }));
  const least = Math.min(...distances);
  return least > most ? undefined : knownVariables[distances.indexOf(least)];
}
