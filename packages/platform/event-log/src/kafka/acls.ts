import type { Clock } from '@weir/clock';
import kafkajs, { type AclEntry, type Admin } from 'kafkajs';
import { openClient } from './client.ts';
import { Directory } from './directory.ts';
import type { KafkaConnection } from './security.ts';

/** A permission of a principal (`User:…`) from every host. */
export interface WantedAcl {
  readonly principal: string;
  readonly resource: 'topic' | 'group' | 'cluster';
  readonly name: string;
  readonly operation: 'READ' | 'WRITE' | 'DELETE' | 'DESCRIBE' | 'DESCRIBE_CONFIGS';
}

export interface AclChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Sets each principal's permissions on topics, groups and the cluster, and removes its others, denials included. `dryRun` only lists the changes. */
export async function applyAcls(
  wanted: readonly WantedAcl[],
  { connection, clock, dryRun }: { connection: KafkaConnection; clock: Clock; dryRun: boolean },
): Promise<AclChanges> {
  const directory = new Directory(() => openClient({ connection, clock }), clock);
  try {
    const entries = new Map(wanted.map(entryOf).map((entry) => [nameOf(entry), entry]));
    const principals = new Set(wanted.map(({ principal }) => principal));
    const found = new Map<string, AclEntry>();
    for (const principal of principals) {
      for (const entry of await directory.ask((admin) => list(admin, principal))) found.set(nameOf(entry), entry);
    }
    const added = [...entries].filter(([name]) => !found.has(name));
    const removed = [...found].filter(([name]) => !entries.has(name));
    if (!dryRun && added.length > 0) await directory.ask((admin) => admin.createAcls({ acl: added.map(([, entry]) => entry) }));
    if (!dryRun && removed.length > 0) await directory.ask((admin) => admin.deleteAcls({ filters: removed.map(([, entry]) => entry) }));
    return { added: added.map(([name]) => name), removed: removed.map(([name]) => name) };
  } finally {
    directory.close();
  }
}

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;
const resourceTypes = { topic: AclResourceTypes.TOPIC, group: AclResourceTypes.GROUP, cluster: AclResourceTypes.CLUSTER } as const;

function entryOf({ principal, resource, name, operation }: WantedAcl): AclEntry {
  return {
    principal,
    host: '*',
    operation: AclOperationTypes[operation],
    permissionType: AclPermissionTypes.ALLOW,
    resourceType: resourceTypes[resource],
    resourceName: name,
    resourcePatternType: ResourcePatternTypes.LITERAL,
  };
}

async function list(admin: Admin, principal: string): Promise<AclEntry[]> {
  const { resources } = await admin.describeAcls({
    principal,
    operation: AclOperationTypes.ANY,
    permissionType: AclPermissionTypes.ANY,
    resourceType: AclResourceTypes.ANY,
    resourcePatternType: ResourcePatternTypes.ANY,
  });
  return resources
    .filter(({ resourceType }) => Object.values(resourceTypes).some((type) => type === resourceType))
    .flatMap(({ acls, resourceType, resourceName, resourcePatternType }) =>
      acls.map((acl) => ({ ...acl, resourceType, resourceName, resourcePatternType })),
    );
}

function nameOf({ principal, host, operation, permissionType, resourceType, resourceName, resourcePatternType }: AclEntry): string {
  const of = `${wordOf(AclResourceTypes, resourceType).toLowerCase()} ${resourceName}`;
  const pattern = resourcePatternType === ResourcePatternTypes.PREFIXED ? ' (prefix)' : '';
  const word = permissionType === AclPermissionTypes.ALLOW ? 'may' : 'may not';
  return `${principal} ${word} ${wordOf(AclOperationTypes, operation)} ${of}${pattern}${host === '*' ? '' : ` from ${host}`}`;
}

/** kafkajs declares enums but exports objects that map names to numbers only. */
function wordOf(numbers: Readonly<Record<string, unknown>>, number: number): string {
  return Object.keys(numbers).find((name) => numbers[name] === number) ?? String(number);
}
