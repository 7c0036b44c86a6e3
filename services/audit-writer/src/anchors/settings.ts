import { NoteKeyError } from '@weir/audit-log';
import type { Clock } from '@weir/clock';
import { ConfigError, isLoopback } from '@weir/service-kit/config';
import { partsOf } from '../config.ts';
import type { Anchor } from './anchor.ts';
import { fileAnchor } from './file.ts';
import { s3Anchor, type S3Place } from './s3.ts';
import { webhookAnchor } from './webhook.ts';
import { witnessAnchor } from './witness.ts';

/** The places of `WEIR_AUDIT_ANCHORS`. Throws a ConfigError that has nothing of the addresses. */
export async function openAnchors(text: string, clock: Clock): Promise<readonly Anchor[]> {
  const anchors = await Promise.all(partsOf(text).map((each) => openAnchor(each, clock)));
  const repeated = anchors.find(({ name }, n) => anchors.findIndex((other) => other.name === name) !== n);
  if (repeated !== undefined) throw wrong(`has ${repeated.name} twice`);
  return anchors;
}

async function openAnchor(text: string, clock: Clock): Promise<Anchor> {
  if (!URL.canParse(text)) throw wrong('must be addresses with commas');
  const url = new URL(text);
  switch (url.protocol) {
    case 'file:':
      if (url.host !== '') throw wrong('a file: address must begin with file:///');
      return fileAnchor(url);
    case 's3:':
      return s3Anchor(placeOf(url), clock);
    case 'https:':
      return webhookAnchor(url);
    case 'http:':
      requireLoopback(url);
      return webhookAnchor(url);
    case 'witness+http:':
    case 'witness+https:':
      return witnessOf(text.slice('witness+'.length));
    default:
      throw wrong('must be file:///…, https://…, s3://… or witness+https://…');
  }
}

function witnessOf(text: string): Anchor {
  const url = new URL(text);
  if (url.protocol === 'http:') requireLoopback(url);
  try {
    return witnessAnchor(url);
  } catch (error) {
    if (error instanceof NoteKeyError) throw wrong(`a witness needs its key after #: ${error.message}`);
    throw error;
  }
}

function placeOf(url: URL): S3Place {
  const given = Object.fromEntries(url.searchParams);
  const unknown = Object.keys(given).find((name) => !['region', 'endpoint', 'lock', 'days'].includes(name));
  if (unknown !== undefined) throw wrong(`an s3: address takes region, endpoint, lock and days, not ${unknown}`);
  const { region, endpoint, lock = 'compliance', days = '' } = given;
  if (lock !== 'compliance' && lock !== 'governance') throw wrong('lock must be compliance or governance');
  if (!/^[1-9]\d{0,4}$/.test(days)) throw wrong('an s3: address needs days, for which no copy can be deleted: 1 to 99999');
  if (url.host === '') throw wrong('an s3: address needs a bucket');
  const path = url.pathname.replace(/^\/+|\/+$/g, '');
  return {
    bucket: url.host,
    prefix: path === '' ? '' : `${path}/`,
    region,
    endpoint,
    lock: lock === 'compliance' ? 'COMPLIANCE' : 'GOVERNANCE',
    days: Number(days),
  };
}

/** Somebody on the way could answer in the place of the receiver. */
function requireLoopback(url: URL): void {
  if (!isLoopback(url)) throw wrong('must be https, unless it is on this machine');
}

function wrong(why: string): ConfigError {
  return new ConfigError(`setting WEIR_AUDIT_ANCHORS is wrong: ${why}`);
}
