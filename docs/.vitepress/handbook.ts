interface Part {
  readonly title: string;
  /** Paths below the root of the repository, or patterns of them. */
  readonly pages: readonly string[];
  /** Closed until somebody opens it. */
  readonly isLong?: true;
}

/** The parts of the handbook in the order of its sidebar. */
export const handbook: readonly Part[] = [
  { title: 'Tutorial', pages: ['README.md', 'docs/tutorial.md'] },
  {
    title: 'How-to',
    pages: [
      'docs/console.md',
      'docs/policy.md',
      'docs/reviews.md',
      'docs/rescreening.md',
      'docs/importing.md',
      'docs/providers.md',
      'docs/access.md',
      'docs/permits.md',
      'docs/webhooks.md',
      'docs/mcp.md',
      'docs/pay-per-call.md',
      'deploy/README.md',
      'deploy/helm/README.md',
      'docs/sizing.md',
      'docs/backup.md',
      'docs/audit.md',
      'docs/tracing.md',
    ],
  },
  {
    title: 'Reference',
    pages: [
      'docs/http.md',
      'docs/commands.md',
      'docs/settings.md',
      'docs/reference/*.md',
      'services/risk-api/README.md',
      'packages/sdk/client/README.md',
      'packages/sdk/risk-client/README.md',
      'packages/sdk/permit/README.md',
      'packages/data/sample/README.md',
      'GLOSSARY.md',
      'CHANGELOG.md',
    ],
  },
  {
    title: 'Explanation',
    pages: ['ARCHITECTURE.md', 'docs/method.md', 'docs/comparison.md', 'docs/security.md', 'docs/privacy.md', 'docs/chaos.md'],
  },
  { title: 'Runbooks', pages: ['docs/runbooks/README.md', 'docs/runbooks/Weir*.md'], isLong: true },
  { title: 'Contributing', pages: ['CONTRIBUTING.md', 'docs/release.md', 'SECURITY.md'] },
  { title: 'Decisions', pages: ['docs/decisions/*.md'], isLong: true },
];
