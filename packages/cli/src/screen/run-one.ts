import { loadPolicy } from '@weir/policy';
import { UsageError } from '../failure.ts';
import { untilInterrupted } from '../installation.ts';
import { loadSettings } from '../load.ts';
import { print, printJson } from '../output.ts';
import { styleFor } from '../style.ts';
import { ask } from './ask.ts';
import { open, type ScreenFlags } from './open.ts';
import { readQuestion } from './question.ts';
import { textOf } from './show.ts';
import { jsonOf, verdictOf } from './verdict.ts';

export async function screenOne(coin: string, target: string, flags: ScreenFlags): Promise<void> {
  if (flags.out !== undefined || flags.resume) throw new UsageError('--out and --resume are for CSV files');
  const question = readQuestion({ coin, target, direction: flags.direction, kind: flags.kind, usdValue: flags.usdValue });
  if ('said' in question) throw new UsageError(question.said);
  const settings = loadSettings(flags);
  const policy = loadPolicy(settings.policyFile);
  await untilInterrupted(async (undo) => {
    const { askOptions, provider } = open(flags, settings, undo);
    const answer = await ask(askOptions, question);
    const verdict = verdictOf(policy, question, answer);
    if (flags.json) await printJson(jsonOf(question, answer, verdict, policy.hash, provider));
    else await print(textOf(question, answer, verdict, styleFor(process.stdout)));
    if (answer.outcome !== 'SCORED' && answer.outcome !== 'NO_DATA') throw new Error(`no level: ${answer.said}`);
  });
}
