// The SCIM view of a person. An account that no directory has written yet has its e-mail address as user name, so that a
// directory that searches before it creates finds invited people.
import type { Mode } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { sha256 } from '../../base/lib/hash.ts'
import { metaOf, locationOf, weakTag } from './meta.ts'
import { badRequest } from './refusal.ts'
import { GROUP, type Resource, schemasOf, USER } from './resource-type.ts'
import type { Person } from './stored-user.ts'

const VERSION_LENGTH = 16

/** The attributes that a client may write, without the password. */
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
