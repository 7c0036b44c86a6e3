import { styleText } from 'node:util';
import type { Action } from '@weir/contracts';

export interface Style {
  action(action: Action): string;
  state(state: 'ok' | 'note' | 'wrong'): string;
  dim(text: string): string;
  bold(text: string): string;
}

const actionColours = { block: 'red', review: 'yellow', allow: 'green' } as const;
const stateColours = { wrong: 'red', note: 'yellow', ok: 'green' } as const;

/** Colours on a terminal unless NO_COLOR is set, else plain text. */
export function styleFor(stream: NodeJS.WriteStream): Style {
  const paint = (format: Parameters<typeof styleText>[0], text: string): string => styleText(format, text, { stream });
  return {
    action: (action) => paint(actionColours[action], action.padEnd(6)),
    state: (state) => paint(stateColours[state], state.padEnd(5)),
    dim: (text) => paint('dim', text),
    bold: (text) => paint('bold', text),
  };
}
