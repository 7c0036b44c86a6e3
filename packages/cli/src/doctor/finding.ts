/** The result of one check. `wrong` makes the command exit with 1; `note` is informative. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'note' | 'wrong';
  readonly detail: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail });
export const remark = (check: string, detail: string): Finding => ({ check, state: 'note', detail });
export const wrong = (check: string, detail: string): Finding => ({ check, state: 'wrong', detail });
