import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { alertmanagerConfig } from './alertmanager.ts';

const read = (...path: string[]): string => readFileSync(join(import.meta.dirname, '..', ...path), 'utf8');
const routing = read('alertmanager', 'alertmanager.yml');

interface Config {
  readonly route: { readonly receiver: string };
  readonly receivers: readonly { readonly name: string }[];
  readonly inhibit_rules: readonly { readonly source_matchers: readonly string[]; readonly target_matchers: readonly string[] }[];
}
const configOf = (environment: Readonly<Record<string, string>>): Config => parse(alertmanagerConfig(routing, environment)) as Config;

test('without settings alerts have a receiver that notifies nobody', () => {
  const { route, receivers } = configOf({ WEIR_ALERT_WEBHOOK_URL: '', WEIR_ALERT_EMAIL_TO: '' });
  expect(route.receiver).toBe('people');
  expect(receivers).toEqual([{ name: 'people' }]);
});

test('each setting adds its integration', () => {
  const { receivers } = configOf({
    WEIR_ALERT_WEBHOOK_URL: 'https://hooks.example/alerts',
    WEIR_ALERT_SLACK_URL: 'https://hooks.slack.example/services/x',
    WEIR_ALERT_EMAIL_TO: 'on-call@exchange.example',
    WEIR_ALERT_EMAIL_FROM: 'weir@exchange.example',
    WEIR_ALERT_SMTP: 'mail.example:587',
    WEIR_ALERT_SMTP_USER: 'weir',
    WEIR_ALERT_SMTP_PASSWORD: 'a: "secret"',
  });
  expect(receivers).toMatchObject([
    {
      name: 'people',
      webhook_configs: [{ url: 'https://hooks.example/alerts', send_resolved: true }],
      slack_configs: [{ api_url: 'https://hooks.slack.example/services/x' }],
      email_configs: [
        {
          to: 'on-call@exchange.example',
          from: 'weir@exchange.example',
          smarthost: 'mail.example:587',
          auth_username: 'weir',
          auth_password: 'a: "secret"',
        },
      ],
    },
  ]);
});

test('further receivers of the file stay', () => {
  const own = `${routing}\nreceivers: [{ name: pager, pagerduty_configs: [{ routing_key_file: /secrets/key }] }]\n`;
  const { receivers } = parse(alertmanagerConfig(own, {})) as Config;
  expect(receivers.map(({ name }) => name)).toEqual(['pager', 'people']);
});

test.each<[string, Record<string, string>]>([
  ['WEIR_ALERT_WEBHOOK_URL', { WEIR_ALERT_WEBHOOK_URL: 'ftp://user:hidden@example' }],
  ['WEIR_ALERT_SLACK_URL', { WEIR_ALERT_SLACK_URL: 'hidden' }],
  ['WEIR_ALERT_EMAIL_FROM', { WEIR_ALERT_EMAIL_TO: 'hidden@example', WEIR_ALERT_SMTP: 'mail.example:587' }],
  ['WEIR_ALERT_SMTP', { WEIR_ALERT_EMAIL_TO: 'a@example', WEIR_ALERT_EMAIL_FROM: 'b@example', WEIR_ALERT_SMTP: 'hidden' }],
])('a wrong %s is named without its value', (name, environment) => {
  expect(() => alertmanagerConfig(routing, environment)).toThrow(name);
  expect(() => alertmanagerConfig(routing, environment)).not.toThrow('hidden');
});

test('inhibition names alerts that there are', () => {
  const { groups } = parse(read('prometheus', 'rules.yml')) as { groups: { rules: { alert?: string }[] }[] };
  const alerts = new Set(groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? [])));
  const named = configOf({}).inhibit_rules.flatMap(({ source_matchers, target_matchers }) =>
    [...source_matchers, ...target_matchers].flatMap((matcher) => matcher.match(/Weir\w+/g) ?? []),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !alerts.has(name))).toEqual([]);
});
