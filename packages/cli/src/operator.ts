import { userInfo } from 'node:os';

/** The person at the command line, for the audit log: the name of the account on this machine. */
export function operator(): { readonly id: string; readonly name: string } {
  const name = accountName();
  return { id: `os:${name}`, name };
}

function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a number without an account.
    return String(process.getuid?.() ?? 'unknown');
  }
}
