import { afterAll, beforeAll, test } from 'vitest';
import { redisBudget } from '../index.ts';
import { expectSameAnswers } from '../same-answers.testing.ts';
import { openRig, type Rig } from './rig.testing.ts';
import { BudgetScript } from './script.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig.close());

test('the script gives the same answers as the pure function, bit for bit', async () => {
  const redis = await rig.connect();
  await expectSameAnswers({
    open: (name, limits, now) => redisBudget({ redis, pool: rig.database.pool, name, limits, now }),
    stored: async (name) => {
      const looked = await new BudgetScript(redis, name, { perSecond: 1, perDay: 1 }, () => undefined).look();
      return looked.kind === 'state' ? { tat: looked.state.tat, log: looked.state.log } : undefined;
    },
  });
});
