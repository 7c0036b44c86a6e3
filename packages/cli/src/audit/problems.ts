import { note } from '../output.ts';

/** Problems shown; further ones are counted. */
const shown = 100;

/** Prints problems as they are found. */
export class Problems {
  #count = 0;

  readonly add = (text: string): void => {
    this.#count += 1;
    if (this.#count <= shown) note(`  ${text}`);
    if (this.#count === shown + 1) note('  …');
  };

  /** Throws if there was any. */
  requireNone(where: string): void {
    if (this.#count > 0) throw new Error(`${this.#count} ${this.#count === 1 ? 'problem' : 'problems'} in ${where}`);
  }
}
