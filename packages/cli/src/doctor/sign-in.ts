import { readProviderKeys, signInOptions } from '@weir/service-kit';
import { lineOf } from '../failure.ts';
import type { AllSettings } from '../settings.ts';
import { type Finding, ok, wrong } from './finding.ts';

/** Whether people can sign in with the configured provider, and which roles they can get. */
export async function examineSignIn(settings: AllSettings): Promise<Finding[]> {
  try {
    const options = signInOptions(settings);
    if (options === undefined) return [ok('sign-in', 'stored tokens alone; no OIDC provider is set')];
    const { keys } = await readProviderKeys(options.issuer, options.timeoutMs);
    const usable = keys.filter(({ kty, use }) => kty !== 'oct' && (use === undefined || use === 'sig'));
    const { host } = new URL(options.issuer);
    if (usable.length === 0) return [wrong('sign-in', `${host} publishes no key that tokens can be verified with`)];
    const roles = [...new Set(options.roles.values())].join(', ');
    return [ok('sign-in', `people of ${host}, which has ${usable.length} key${usable.length === 1 ? '' : 's'}; as ${roles}`)];
  } catch (error) {
    return [wrong('sign-in', lineOf(error))];
  }
}
