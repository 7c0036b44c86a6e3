import { describe, expect, it } from 'vitest';
import { label, rowsOf } from '../graph.testing.ts';
import { type Assessment, scoreAddress } from '../index.ts';
import { hour, move } from '../movement.testing.ts';
import type { Movement } from '../store.ts';
import { memoryStore, type TransferRow } from '../testing.ts';

const labels = { thief: label('theft'), exchange: label('exchange'), vault: label('defi') };

/** One transaction: a payment in USDC, and the shares that are given out or back for it. */
function exchanged(atHour: number, [from, to, usd]: readonly [string, string, number], shares: readonly [string | null, string | null]) {
  const common = { tx: `t${atHour}`, at: atHour * hour };
  const [holder, receiver] = shares;
  return {
    movement: move(0, from, to, usd, { ...common, coin: 'USDC' }),
    share: { chain: 'c', txid: common.tx, at: common.at, position: 1, from: holder, to: receiver, usd: null, coin: 'vault' },
  };
}

function given(atHour: number, from: string, to: string): TransferRow {
  return { chain: 'c', txid: `t${atHour}`, at: atHour * hour, position: 0, from, to, usd: null, coin: 'vault' };
}

function scoreOf(movements: readonly Movement[], shares: readonly TransferRow[], subject = 's'): Promise<Assessment> {
  const { transfers, labels: named } = rowsOf(movements, labels);
  return scoreAddress(memoryStore({ transfers: [...transfers, ...shares], labels: named }), 'c', subject, 0, { sides: ['in'] });
}

const stolen = move(0, 'thief', 'user', 100_000);
const deposit = (holder: string) => exchanged(1, ['user', 'vault', 100_000], [null, holder]);
const payout = (holder: string, payee = 's') => exchanged(9, ['vault', payee, 99_000], [holder, null]);

describe('money in a vault that has shares', () => {
  it('is followed to another receiver of the shares', async () => {
    const [paid, out] = [deposit('s'), payout('s')];
    const found = await scoreOf([stolen, paid.movement, out.movement], [paid.share, out.share]);
    expect(found).toMatchObject({ level: 'High', illicit_usd: 99_000 });
    expect(found.exposures[0]?.path).toEqual([stolen, paid.movement, out.movement]);
  });

  it('is followed to another receiver of the payout', async () => {
    const [paid, out] = [deposit('user'), payout('user')];
    const found = await scoreOf([stolen, paid.movement, out.movement], [paid.share, out.share]);
    expect(found).toMatchObject({ level: 'High', illicit_usd: 99_000 });
    expect(found.exposures[0]?.path).toEqual([stolen, paid.movement, out.movement]);
  });

  it('is followed where the shares change hands', async () => {
    const [paid, out] = [deposit('user'), payout('s')];
    const found = await scoreOf(
      [stolen, paid.movement, out.movement],
      [paid.share, given(2, 'user', 'mule'), given(3, 'mule', 's'), out.share],
    );
    expect(found).toMatchObject({ level: 'High', illicit_usd: 99_000 });
  });

  it.each([
    ['a service', 'exchange', 1],
    ['a busy address', 'pool', 20],
  ])('is not that of who bought the shares from %s', async (_, seller, others) => {
    const [paid, out] = [deposit('user'), payout('s')];
    const bought = Array.from({ length: others }, (__, index) => given(2 + index / 100, index === 0 ? 'user' : `other${index}`, seller));
    const shares = [paid.share, ...bought, given(4, seller, 's'), out.share];
    expect(await scoreOf([stolen, paid.movement, out.movement], shares)).toMatchObject({ score: 3, illicit_usd: 0 });
  });

  it('is not that of its other customers', async () => {
    const [paid, out] = [deposit('user'), payout('user', 'mule')];
    const clean = move(0, 'exchange', 's', 50_000);
    const own = [exchanged(2, ['s', 'vault', 50_000], [null, 's']), exchanged(5, ['vault', 's', 50_000], ['s', null])];
    const movements = [stolen, clean, paid.movement, out.movement, ...own.map(({ movement }) => movement)];
    expect(await scoreOf(movements, [paid.share, out.share, ...own.map(({ share }) => share)])).toMatchObject({ score: 3, illicit_usd: 0 });
  });

  it('is first his own who has paid in himself, whoever sends him a share', async () => {
    const own = exchanged(3, ['s', 'vault', 50_000], [null, 's']);
    const payouts = [exchanged(9, ['vault', 's', 50_000], ['s', null]), exchanged(10, ['vault', 's', 25_000], ['s', null])];
    const paid = [deposit('user'), own, ...payouts.slice(0, 1)];
    const movements = [stolen, move(0, 'exchange', 's', 50_000), ...paid.map(({ movement }) => movement)];
    const shares = [...paid.map(({ share }) => share), given(4, 'user', 's')];
    expect(await scoreOf(movements, shares)).toMatchObject({ illicit_usd: 0 });
    const more = payouts.slice(1);
    const all = [...movements, ...more.map(({ movement }) => movement)];
    expect(await scoreOf(all, [...shares, ...more.map(({ share }) => share)])).toMatchObject({ illicit_usd: 25_000 });
  });

  it('is not first his own by what he has at another service', async () => {
    const elsewhere = move(3, 's', 'exchange', 50_000);
    const [paid, out] = [deposit('user'), exchanged(9, ['vault', 's', 50_000], ['s', null])];
    const movements = [stolen, move(0, 'exchange', 's', 50_000), elsewhere, paid.movement, out.movement];
    expect(await scoreOf(movements, [paid.share, given(4, 'user', 's'), out.share])).toMatchObject({ level: 'High', illicit_usd: 50_000 });
  });

  it('stays that of the payer where another contract mints a token to somebody', async () => {
    const paid = exchanged(1, ['user', 'vault', 100_000], [null, 'victim']);
    const back = exchanged(9, ['vault', 'user', 99_000], ['victim', null]);
    const forged = [paid, back].map(({ share }) => ({ ...share, coin: 'forged' }));
    const found = await scoreOf([stolen, paid.movement, back.movement, move(10, 'user', 's', 99_000)], forged);
    expect(found).toMatchObject({ level: 'High', illicit_usd: 99_000 });
  });
});
