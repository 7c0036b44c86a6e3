import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { readPolicy } from '@weir/policy';
import { minute, type Scenario } from '../scenario.ts';
import { startService } from '../service.ts';

export const differentPolicies: Scenario = {
  name: 'a replica of decision gets another policy',
  alerts: { WeirPoliciesDiffer: 10 * minute },
  breakIt: async (world, own) => {
    const file = world.file('policy-of-a-replica.yaml', readPolicy());
    await startService(world, own, 'decision', { WEIR_POLICY_FILE: file });
    writeFileSync(file, readPolicy().replace(`sanctioned_dust_usd: '100'`, `sanctioned_dust_usd: '50'`));
    return async () => writeFileSync(file, readPolicy());
  },
};

export const oldCertificate: Scenario = {
  name: 'the certificate of a service ends in twenty days',
  alerts: { WeirCertificateExpires: 10 * minute },
  // A service reads its files each minute.
  noticedAfter: 1 * minute,
  breakIt: async (world, own) => {
    const files = { WEIR_TLS_CERT_FILE: world.file('server.pem', ''), WEIR_TLS_KEY_FILE: world.file('server.key', '') };
    const makeCertificate = (days: number): void => {
      const of = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', String(days)];
      const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc'];
      const to = ['-keyout', files.WEIR_TLS_KEY_FILE, '-out', files.WEIR_TLS_CERT_FILE];
      execFileSync('openssl', ['req', '-x509', ...key, ...of, ...to], { stdio: 'ignore' });
    };
    makeCertificate(20);
    await startService(world, own, 'deposit-ingest', files);
    Object.assign(own.env, files);
    return async () => makeCertificate(365);
  },
};
