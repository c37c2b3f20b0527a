// People of a directory, as stored and in the form of SCIM. In live mode: an account, and a SCIM resource once a directory has written
// it. In test mode: only the resource, so that tests touch neither the user pool nor an account.
import * as z from 'zod'
import type { Mode, Space } from '../../../base/context.ts'
import { bound } from '../../../base/table/bound.ts'
import { key, spaceKey, type Stored } from '../../../base/table/entity.ts'
import { resourceMembers } from '../../../base/table/members.ts'
import { type User, usersPartition } from '../../accounts/user.ts'
import { canonicalJson, sha256 } from '../../../base/lib/json.ts'
import { GROUP, locationOf, metaOf, type Resource, schemasOf, USER, weakTag } from '../resource-type.ts'
import { badRequest } from '../refusal.ts'

export const ScimUser = z.object({
  ...resourceMembers,
  /** Canonical JSON in the case of the schema, without id, meta, groups, password and the status of an account. */
  resource: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type ScimUser = z.output<typeof ScimUser>

const testPartition = (space: Space): string => spaceKey(space, 'SCIMUSERS')

export const scimUsers = bound({
  name: 'SCIMUSER',
  schema: ScimUser,
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'USER', of.id), sk: 'SCIM' }),
  index: (item) => (item.mode === 'test' ? { gsi1pk: testPartition(item), gsi1sk: key(item.created_at, item.id) } : {}),
})

/** The index partition of all people of a directory, oldest first. Sort keys end in the id. */
export const peoplePartition = (space: Space): string =>
  space.mode === 'live' ? usersPartition(space.tenant_id) : testPartition(space)

/** A person of a directory. At least one of `account` and `item` is present. */
export type Person = { id: string; account?: Stored<User>; item?: Stored<ScimUser> }

const VERSION_LENGTH = 16

/**
 * The attributes that a client may write, without the password. An account that no directory has written yet has its e-mail address as
 * user name, so that a directory that searches before it creates finds invited people.
 */
export function attributesOf({ account, item, id }: Person): Resource {
  const resource: Resource = item
    ? JSON.parse(item.resource)
    : impliedAttributes(account?.email ?? id, account?.name, account?.email)
  return account ? { ...resource, active: account.status !== 'suspended' } : { active: true, ...resource }
}

const impliedAttributes = (userName: string, name: string | undefined, email: string | null | undefined): Resource => ({
  userName,
  ...(name && { displayName: name }),
  ...(email && { emails: [{ value: email, type: 'work', primary: true }] }),
})

/** A resource may grow with each change, and an item of the table holds at most 400 KB. */
const TEXT_BYTES_MAX = 262_144

/** The stored form of a resource. The status is left out in live mode, since the account has it. Throws 400 when too large. */
export function storedText({ password: _password, active, ...rest }: Resource, mode: Mode): string {
  const text = canonicalJson(mode === 'test' ? { ...rest, active: active ?? true } : rest)
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX)
    throw badRequest('invalidValue', 'The user would become too large. Remove attributes or shorten their values.')
  return text
}

/**
 * The version is a hash of the attributes. So suspending an account changes the version and a sign-in does not. Memberships
 * belong to the groups and do not count.
 */
export const versionOf = (person: Person): string =>
  weakTag(
    sha256(canonicalJson(attributesOf(person)))
      .toString('base64url')
      .slice(0, VERSION_LENGTH),
  )

/** `groups`: ids of the person's groups; undefined when the request does not select them. */
export function userView(person: Person, groups: readonly string[] | undefined): Resource {
  const { id, account, item } = person
  const { externalId, ...attributes } = attributesOf(person)
  const created = account?.created_at ?? item?.created_at ?? ''
  const lastModified = [account?.updated_at, item?.updated_at].reduce<string>(
    (latest, at) => (at !== undefined && at > latest ? at : latest),
    created,
  )
  return {
    schemas: schemasOf(USER, attributes),
    id,
    ...(externalId !== undefined && { externalId }),
    ...attributes,
    ...(groups && groups.length > 0 && { groups: groups.map(asGroup) }),
    meta: metaOf(USER, id, { created, lastModified, version: versionOf(person) }),
  }
}

const asGroup = (value: string) => ({ value, $ref: locationOf(GROUP, value), type: 'direct' })
