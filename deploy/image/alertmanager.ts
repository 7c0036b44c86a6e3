import { parse, stringify } from 'yaml';

type Environment = Readonly<Record<string, string | undefined>>;

interface Routing {
  readonly receivers?: readonly object[];
}

/**
 * Alertmanager's configuration: `routing` (deploy/alertmanager/alertmanager.yml) with the receiver `people`, which the variables
 * WEIR_ALERT_… describe. Without them nobody is notified, and Alertmanager only shows the alerts. Throws an error that names the wrong
 * variable and not its value.
 */
export function alertmanagerConfig(routing: string, environment: Environment): string {
  const { receivers = [], ...rest } = parse(routing) as Routing;
  const people = { name: 'people', ...webhookOf(environment), ...slackOf(environment), ...emailOf(environment) };
  return stringify({ ...rest, receivers: [...receivers, people] }, { lineWidth: 0 });
}

function webhookOf(environment: Environment): object {
  const url = urlIn(environment, 'WEIR_ALERT_WEBHOOK_URL');
  return url === '' ? {} : { webhook_configs: [{ url, send_resolved: true }] };
}

function slackOf(environment: Environment): object {
  const url = urlIn(environment, 'WEIR_ALERT_SLACK_URL');
  const text = '{{ range .Alerts }}{{ .Annotations.summary }}\n{{ .Annotations.runbook_url }}\n{{ end }}';
  return url === '' ? {} : { slack_configs: [{ api_url: url, send_resolved: true, text }] };
}

/** Over STARTTLS or TLS alone, as is Alertmanager's default. */
function emailOf(environment: Environment): object {
  const to = textIn(environment, 'WEIR_ALERT_EMAIL_TO');
  if (to === '') return {};
  const from = textIn(environment, 'WEIR_ALERT_EMAIL_FROM');
  const smarthost = textIn(environment, 'WEIR_ALERT_SMTP');
  if (from === '') throw new Error('WEIR_ALERT_EMAIL_TO needs WEIR_ALERT_EMAIL_FROM, the address of the sender');
  if (!/^[^\s:]+:\d+$/.test(smarthost)) throw new Error('WEIR_ALERT_EMAIL_TO needs WEIR_ALERT_SMTP, the mail server as HOST:PORT');
  const user = textIn(environment, 'WEIR_ALERT_SMTP_USER');
  const credentials = { auth_username: user, auth_password: textIn(environment, 'WEIR_ALERT_SMTP_PASSWORD') };
  return { email_configs: [{ to, from, smarthost, ...(user === '' ? {} : credentials), send_resolved: true }] };
}

function urlIn(environment: Environment, name: string): string {
  const text = textIn(environment, name);
  if (text !== '' && !/^https?:$/.test(URL.parse(text)?.protocol ?? '')) throw new Error(`${name} must be an address with http or https`);
  return text;
}

function textIn(environment: Environment, name: string): string {
  return environment[name] ?? '';
}
