import { systemClock } from '@weir/clock';
import type { PlaceFlags } from '../flags.ts';
import { untilInterrupted } from '../installation.ts';
import { settingsInForce, settingsJson, settingsText } from '../settings/list.ts';
import { loadSettings } from '../settings.ts';
import { note, plain, print, printJson } from '../output.ts';
import { type Style, styleFor } from '../style.ts';
import { examineDatabase } from './database.ts';
import type { Finding } from './finding.ts';
import { examineKafka } from './kafka.ts';
import { examineMachine } from './machine.ts';
import { examineRedis } from './redis.ts';
import { examineSettings } from './settings.ts';
import { examineSignIn } from './sign-in.ts';
import { examineUpstream } from './upstream.ts';

interface DoctorFlags extends PlaceFlags {
  readonly json?: true;
}

export async function examine(flags: DoctorFlags): Promise<void> {
  const settings = loadSettings(flags);
  const checks = await untilInterrupted(async (undo) => {
    const ofSettings = await examineSettings(settings);
    const isRight = (about: string): boolean => !ofSettings.some(({ check, state }) => check === about && state === 'wrong');
    return [
      ...ofSettings,
      ...(await examineMachine(settings)),
      ...(await examineDatabase(flags, settings, undo)),
      ...(isRight('kafka') ? await examineKafka(settings) : []),
      ...(await examineRedis(settings)),
      ...(isRight('sign-in') ? await examineSignIn(settings) : []),
      ...(isRight('risk API') ? await examineUpstream(settings, systemClock) : []),
    ];
  });
  const wrongs = checks.filter(({ state }) => state === 'wrong').length;
  const inForce = settingsInForce(settings);
  const style = styleFor(process.stdout);
  if (flags.json) await printJson({ ok: wrongs === 0, checks, settings: settingsJson(inForce) });
  else await print(`${settingsText(inForce, style)}\n${textOf(checks, style)}`);
  if (wrongs === 0) return;
  note(`weir: ${wrongs === 1 ? 'one thing is' : `${wrongs} things are`} wrong`);
  process.exitCode = 1;
}

function textOf(checks: readonly Finding[], style: Style): string {
  const widest = Math.max(...checks.map(({ check }) => check.length));
  return checks.map(({ check, state, detail }) => `${style.state(state)}  ${check.padEnd(widest)}  ${plain(detail)}\n`).join('');
}
