import type { Kind } from '@weir/contracts';
import { decide, loadPolicy } from '@weir/policy';
import { type Level, levelOf, levels } from '@weir/risk-engine';
import type { World } from './background.ts';
import { baselines } from './baselines.ts';
import { poison } from './baselines/shares.ts';
import { casesOf, families, type Part } from './cases.ts';
import { engineName, scoreAll, type Scored } from './engine.ts';
import { type Measured, measure, scoreOfShare } from './measure.ts';
import { inTimeOrder, rolesOf } from './movements.ts';

export interface MeasuredWorld {
  readonly name: string;
  readonly part: Part;
  readonly launderers: number;
  readonly benign: number;
  readonly is_simple: boolean;
  readonly methods: readonly Measured[];
}

export interface MeasuredFamily {
  readonly family: string;
  readonly part: Part;
  readonly cases: number;
  /** With the expected level. */
  readonly right: number;
  /** Evasions that end in allow, or innocents that end in block. */
  readonly wrong_action: number;
  readonly lowest: number;
  readonly highest: number;
}

export async function measureWorld(world: World, part: Part): Promise<MeasuredWorld> {
  const { name, launderers, benign, labels, isSimple = false } = world;
  const reached = { ...world, reached: reachedIn(world) };
  const scored = await scoreAll(world, [...launderers, ...benign], 'deposit');
  const of = (address: string): Scored => scored.get(address) as Scored;
  const methods = [measure(engineName, reached, { rank: (address) => of(address).rank, score: (address) => of(address).score })];
  const [movements, roles] = [inTimeOrder(world.movements), rolesOf(labels)];
  for (const { name: method, isShare, trace } of baselines) {
    const values = trace(movements, roles);
    const rank = (address: string): number => values.get(address) ?? 0;
    methods.push(measure(method, reached, isShare ? { rank, score: (address) => scoreOfShare(rank(address)) } : { rank }));
  }
  return { name, part, launderers: launderers.length, benign: benign.length, is_simple: isSimple, methods };
}

/** Less is dust, which reaches half of all people. */
const leastUsd = 1;

/** By payments in the order of time, from the thieves and launderers on. */
function reachedIn({ movements, labels, launderers }: World): ReadonlySet<string> {
  const { illicit, services } = rolesOf(labels);
  const payments = inTimeOrder(movements).filter(({ usd }) => usd >= leastUsd);
  return new Set(poison(payments, { illicit: new Set([...illicit, ...launderers]), services }).keys());
}

export async function measureFamilies(part: Part): Promise<MeasuredFamily[]> {
  const cases = casesOf(part);
  const measured: MeasuredFamily[] = [];
  for (const family of families) {
    const { kind = 'deposit', expected } = family;
    const own = cases.filter((one) => one.family === family);
    if (own.length === 0) continue;
    const results: Scored[] = [];
    for (const each of own) results.push((await scoreAll(each, [each.subject], kind)).get(each.subject) as Scored);
    const scores = results.map(({ score }) => score);
    measured.push({
      family: family.name,
      part,
      cases: results.length,
      right: scores.filter((score) => isExpected(expected, levelOf(score))).length,
      wrong_action: results.filter((scored) => actionOf(scored, kind) === ('least' in expected ? 'allow' : 'block')).length,
      lowest: Math.min(...scores),
      highest: Math.max(...scores),
    });
  }
  return measured;
}

function isExpected(expected: { readonly least: Level } | { readonly most: Level }, level: Level): boolean {
  const place = levels.indexOf(level);
  return 'least' in expected ? place >= levels.indexOf(expected.least) : place <= levels.indexOf(expected.most);
}

const policy = loadPolicy();

/** The default policy for a transfer of 1,500 USD. It allows Moderate below 1,000 USD. */
function actionOf({ score, risk_detail, illicit_usd }: Scored, kind: Kind): string {
  return decide(policy, {
    kind,
    outcome: 'SCORED',
    risk_level: levelOf(score),
    risk_detail,
    reasons: [],
    usd_value: '1500',
    illicit_usd,
  }).action;
}
