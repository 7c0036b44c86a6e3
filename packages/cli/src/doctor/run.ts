import { listSettings, type Setting, withoutQueryValues } from '@weir/service-kit';
import type { PlaceFlags } from '../flags.ts';
import { untilInterrupted } from '../installation.ts';
import { loadSettings } from '../load.ts';
import { note, plain, print, printJson } from '../output.ts';
import { allSchema } from '../settings.ts';
import { type Style, styleFor } from '../style.ts';
import { examineDatabase } from './database.ts';
import type { Finding } from './finding.ts';
import { examineKafka } from './kafka.ts';
import { examineMachine } from './machine.ts';
import { examineRedis } from './redis.ts';
import { examineSignIn } from './sign-in.ts';

export async function examine(flags: PlaceFlags & { json?: true }): Promise<void> {
  const settings = loadSettings(flags);
  const checks = await untilInterrupted(async (undo) => [
    ...(await examineMachine(settings)),
    ...(await examineDatabase(flags, settings, undo)),
    ...(await examineKafka(settings)),
    ...(await examineRedis(settings)),
    ...(await examineSignIn(settings)),
  ]);
  const inForce = listSettings(allSchema, settings).map(withoutSecrets);
  const wrongs = checks.filter(({ state }) => state === 'wrong').length;
  if (flags.json) {
    const shown = inForce.map(({ env, value, isDefault, doc }) => ({ env, value, is_default: isDefault, doc }));
    await printJson({ ok: wrongs === 0, checks, settings: shown });
  } else {
    await print(textOf(checks, inForce, styleFor(process.stdout)));
  }
  if (wrongs === 0) return;
  note(`weir: ${wrongs === 1 ? 'one thing is' : `${wrongs} things are`} wrong`);
  process.exitCode = 1;
}

/** An address may hold a password or a key where none belongs. */
function withoutSecrets(setting: Setting): Setting {
  return setting.value.includes('://') ? { ...setting, value: withoutQueryValues(setting.value) } : setting;
}

function textOf(checks: readonly Finding[], settings: readonly Setting[], style: Style): string {
  const widest = Math.max(...checks.map(({ check }) => check.length));
  const found = checks.map(({ check, state, detail }) => `${style.state(state)}  ${check.padEnd(widest)}  ${plain(detail)}`);
  const set = settings.map(({ env, value, isDefault, doc }) => {
    const line = `${isDefault ? ' ' : '*'} ${env}=${plain(value)}`;
    return `${isDefault ? line : style.bold(line)}\n    ${style.dim(doc)}`;
  });
  return `${found.join('\n')}\n\n${style.bold('Settings in force')} (* not the default)\n${set.join('\n')}\n`;
}
