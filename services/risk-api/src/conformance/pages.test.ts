import { expect, it } from 'vitest';
import { rowsOf } from './pages.ts';

it('rows are told apart by their heading and as few cells as it takes', () => {
  const page = [
    '## Calls at `{base}`',
    '| Method | Path | Note |',
    '|---|---|---|',
    '| GET | `/a` | one |',
    '| GET | `/b` | two |',
    '',
    '**GET /a**',
    '',
    '| Field | Type |',
    '| --- | --- |',
    '| `x` | int |',
    'no | table',
  ].join('\n');
  expect(rowsOf(page)).toEqual([
    { id: 'Calls at {base}: GET /a', text: 'Calls at {base} GET /a one' },
    { id: 'Calls at {base}: GET /b', text: 'Calls at {base} GET /b two' },
    { id: 'GET /a: x', text: 'GET /a x int' },
  ]);
});

it('rows that are the same twice keep all their cells, so that a case missing for one is seen', () => {
  const page = ['# H', '| A | B |', '|---|---|', '| 1 | 2 |', '| 1 | 2 |'].join('\n');
  expect(rowsOf(page).map(({ id }) => id)).toEqual(['H: 1 2', 'H: 1 2']);
});
