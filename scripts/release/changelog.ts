interface Change {
  readonly summary: string;
  readonly releases: readonly { readonly type: string }[];
}

const headings = [
  ['major', 'Breaking changes'],
  ['minor', 'Additions'],
  ['patch', 'Corrections'],
] as const;

/** The entry of one version. A change stands under the largest step that it names. */
export function entryOf(version: string, changes: readonly Change[]): string {
  const sections = headings.flatMap(([type, heading]) => {
    const own = changes.filter((change) => largest(change) === type).map(({ summary }) => `- ${summary.trim().replaceAll('\n', '\n  ')}`);
    return own.length === 0 ? [] : [`### ${heading}\n${own.join('\n')}\n`];
  });
  return [`## ${version}\n`, ...sections].join('\n');
}

/** The newest entry is the first, behind the introduction. */
export function withEntry(changelog: string, entry: string): string {
  const at = changelog.search(/^## /m);
  return at < 0 ? `${changelog.trimEnd()}\n\n${entry}` : `${changelog.slice(0, at)}${entry}\n${changelog.slice(at)}`;
}

function largest({ releases }: Change): string | undefined {
  return headings.find(([type]) => releases.some((release) => release.type === type))?.[0];
}
