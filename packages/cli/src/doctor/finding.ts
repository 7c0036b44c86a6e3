/** One thing that was looked at. `wrong` makes the command end with 1; `note` is worth knowing. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'note' | 'wrong';
  readonly detail: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail });
export const remark = (check: string, detail: string): Finding => ({ check, state: 'note', detail });
export const wrong = (check: string, detail: string): Finding => ({ check, state: 'wrong', detail });
