import { expect, onTestFinished, test } from 'vitest';
import { publishLine } from './stack/publish.ts';
import { runIn } from './stack/run-in.ts';
import { Stack } from './stack/stack.ts';

const stack = Stack.join();

/** Writes Alertmanager's configuration from these settings, as an `up` with them does. */
async function configure(settings: Readonly<Record<string, string>>): Promise<void> {
  const env = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  await stack.compose(['run', '--rm', '--no-deps', '-T', ...env, 'secrets']);
}

async function restartAlertmanager(): Promise<void> {
  await stack.compose(['restart', 'alertmanager']);
  await stack.compose(['up', '--detach', '--no-build', '--no-recreate', '--no-deps', '--wait', 'alertmanager']);
}

/** Receives notifications in decision's container, until one has this alert. */
function receive(alert: string): Promise<string> {
  return runIn(
    stack,
    'decision',
    `import { createServer } from 'node:http';
     setTimeout(() => process.exit(1), 240_000);
     createServer((request, response) => {
       let body = '';
       request.setEncoding('utf8').on('data', (text) => { body += text; });
       request.on('end', () => {
         const found = JSON.parse(body).alerts.find(({ labels }) => labels.alertname === '${alert}');
         response.end(() => {
           if (found === undefined) return;
           console.log(JSON.stringify(found));
           process.exit();
         });
       });
     }).listen(5000);`,
  );
}

test('an alert that fires in Prometheus reaches the receiver of the settings', async () => {
  onTestFinished(async () => {
    await configure({});
    await restartAlertmanager();
  });
  await configure({ WEIR_ALERT_WEBHOOK_URL: 'http://decision:5000/alerts' });
  await restartAlertmanager();
  const [received] = await Promise.all([receive('WeirResolutionRefused'), publishLine(stack, 'reviews.resolved', 'not a resolution')]);
  expect(JSON.parse(received)).toMatchObject({ status: 'firing', labels: { severity: 'critical' } });
});

test('Alertmanager takes a receiver of each kind, and its routes', async () => {
  onTestFinished(() => configure({}));
  await configure({
    WEIR_ALERT_WEBHOOK_URL: 'https://hooks.example/alerts',
    WEIR_ALERT_SLACK_URL: 'https://hooks.slack.example/services/x',
    WEIR_ALERT_EMAIL_TO: 'on-call@exchange.example',
    WEIR_ALERT_EMAIL_FROM: 'weir@exchange.example',
    WEIR_ALERT_SMTP: 'mail.example:587',
    WEIR_ALERT_SMTP_USER: 'weir',
    WEIR_ALERT_SMTP_PASSWORD: 'a: "secret"',
  });
  const check = ['amtool', 'check-config', '/secrets/alertmanager/alertmanager.yml'];
  expect(await stack.compose(['exec', '-T', 'alertmanager', ...check])).toContain('SUCCESS');
});
