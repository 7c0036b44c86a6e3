import { canonicalCategory, inTimeOrder as inOrder, isSuspicion, type Label, type Movement as Transfer, weightOf } from '@weir/risk-engine';

export type { Transfer };
/** A transfer of known value. */
export type Movement = Transfer & { readonly usd: number };

export interface AddressLabel extends Label {
  readonly address: string;
}

export interface Scenario {
  readonly chain: string;
  readonly movements: readonly Transfer[];
  readonly labels: readonly AddressLabel[];
  /** Addresses that signed one transaction each. */
  readonly co_spends?: readonly (readonly string[])[];
}

/** What a tracing method knows of addresses. Money of services is clean, and is not followed through them. */
export interface Roles {
  readonly illicit: ReadonlySet<string>;
  readonly services: ReadonlySet<string>;
}

/** A smaller weight is that of a lawful business. */
const illicitFrom = 0.8;

export function rolesOf(labels: readonly AddressLabel[]): Roles {
  const having = (test: (category: string) => boolean) =>
    new Set(
      labels
        .filter(({ category, confidence }) => !isSuspicion(confidence) && test(canonicalCategory(category)))
        .map(({ address }) => address),
    );
  return {
    illicit: having((category) => weightOf(category).exposure >= illicitFrom),
    services: having((category) => weightOf(category).service === true),
  };
}

/** Those of value between two addresses. */
export function inTimeOrder(movements: readonly Transfer[]): Movement[] {
  return inOrder(movements.filter((movement): movement is Movement => movement.from !== movement.to && (movement.usd ?? 0) > 0));
}
