import { UsageError } from '../failure.ts';
import { untilInterrupted } from '../installation.ts';
import { type AllSettings, loadSettings } from '../settings.ts';
import { note, print, printJson } from '../output.ts';
import { styleFor } from '../style.ts';
import { knowCoins } from './added-coins.ts';
import { type Answer, ask } from './ask.ts';
import { open, refuseWithoutPay, type ScreenFlags } from './open.ts';
import { policyFor } from './policy.ts';
import { type Question, readQuestion } from './question.ts';
import { textOf } from './show.ts';
import { jsonOf, verdictOf } from './verdict.ts';

export async function screenOne(coin: string, target: string, flags: ScreenFlags): Promise<void> {
  if (flags.out !== undefined || flags.resume || flags.keepFormulas)
    throw new UsageError('--out, --resume and --keep-formulas are for CSV files');
  const { direction, kind, usdValue: usd_value, toAddress: to_address, amount } = flags;
  if (!flags.pay) refuseWithoutPay(flags);
  const settings = loadSettings(flags);
  await knowCoins([coin], flags, settings);
  const question = readQuestion({ coin, target, direction, kind, usd_value, to_address, amount });
  if ('said' in question) throw new UsageError(question.said);
  const policy = await policyFor(settings, flags.dataDir !== undefined);
  await untilInterrupted(async (undo) => {
    const { answer, provider, payment, delivered } = flags.pay
      ? await askPaid(question, flags, settings, undo)
      : await askFree(question, flags, settings, undo);
    const verdict = verdictOf(policy, question, answer);
    if (flags.json) await printJson({ ...jsonOf(question, answer, verdict, policy.hash, provider), ...payment });
    else await print(textOf(question, answer, verdict, styleFor(process.stdout)));
    delivered();
    if (answer.outcome !== 'SCORED' && answer.outcome !== 'NO_DATA') throw new Error(`no level: ${answer.said}`);
  });
}

interface Asked {
  readonly answer: Answer;
  readonly provider: string;
  /** Further fields of the JSON. */
  readonly payment: object;
  delivered(this: void): void;
}
type Undo = (() => Promise<unknown>)[];

async function askFree(question: Question, flags: ScreenFlags, settings: AllSettings, undo: Undo): Promise<Asked> {
  const askOptions = open(flags, settings, undo);
  return { answer: await ask(askOptions, question), provider: askOptions.provider.name, payment: {}, delivered: () => undefined };
}

async function askPaid(question: Question, flags: ScreenFlags, settings: AllSettings, undo: Undo): Promise<Asked> {
  const { openPaid, paymentJson } = await import('./pay/open.ts');
  const paying = await openPaid(flags, settings, undo);
  const answer = await paying.ask(question);
  note(paying.summary());
  const payment = { payment: paymentJson(answer.payment) };
  return { answer, provider: paying.provider, payment, delivered: () => paying.delivered(answer) };
}
