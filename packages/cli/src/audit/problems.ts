import { note, printJson } from '../output.ts';

/** Problems shown; further ones are counted. */
const most = 100;

/** Prints problems as they are found. */
export class Problems {
  readonly #shown: string[] = [];
  #count = 0;

  readonly add = (text: string): void => {
    this.#count += 1;
    if (this.#count <= most) {
      this.#shown.push(text);
      note(`  ${text}`);
    }
    if (this.#count === most + 1) note('  …');
  };

  /** Throws if there was any, once the result is printed where JSON is asked for. */
  async requireNone(where: string, { entries, isJson }: { readonly entries: number; readonly isJson: boolean }): Promise<void> {
    if (isJson) await printJson({ ok: this.#count === 0, entries, problem_count: this.#count, problems: this.#shown });
    if (this.#count > 0) throw new Error(`${this.#count} ${this.#count === 1 ? 'problem' : 'problems'} in ${where}`);
  }
}
