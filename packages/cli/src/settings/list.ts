import { listSettings, type Setting } from '@weir/service-kit/config';
import { withoutQueryValues } from '@weir/service-kit/redact';
import type { PlaceFlags } from '../flags.ts';
import { allSchema, type AllSettings, loadSettings } from '../settings.ts';
import { plain, print, printJson } from '../output.ts';
import { type Style, styleFor } from '../style.ts';

export async function printSettings(flags: PlaceFlags & { json?: true }): Promise<void> {
  const inForce = settingsInForce(loadSettings(flags));
  if (flags.json) await printJson(settingsJson(inForce));
  else await print(settingsText(inForce, styleFor(process.stdout)));
}

/** Every setting, secrets masked. */
export function settingsInForce(settings: AllSettings): Setting[] {
  return listSettings(allSchema, settings).map(withoutSecrets);
}

/** An address may hold a password or a key where none belongs. */
function withoutSecrets(setting: Setting): Setting {
  return setting.value.includes('://') ? { ...setting, value: withoutQueryValues(setting.value) } : setting;
}

export function settingsText(settings: readonly Setting[], style: Style): string {
  const lines = settings.map(({ env, value, isDefault, doc }) => {
    const line = `${isDefault ? ' ' : '*'} ${env}=${plain(value)}`;
    return `${isDefault ? line : style.bold(line)}\n    ${style.dim(doc)}`;
  });
  return `${style.bold('Settings in force')} (* not the default)\n${lines.join('\n')}\n`;
}

export function settingsJson(settings: readonly Setting[]): object[] {
  return settings.map(({ env, value, isDefault, doc }) => ({ env, value, is_default: isDefault, doc }));
}
