// A person as SCIM shows them. Accounts that no directory has written yet are shown like all others: the user name is the
// e-mail address, so that "look first, then create" finds people who were invited.
import type { Mode } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { sha256 } from '../../base/lib/hash.ts'
import { metaOf, locationOf, weakTag } from './meta.ts'
import { refused } from './refusal.ts'
import { GROUP, type Resource, schemasOf, USER } from './resource-type.ts'
import type { Person } from './stored-user.ts'

const VERSION_LENGTH = 16

/** Everything that a client may write, the password apart. */
export function attributesOf({ account, item, id }: Person): Resource {
  const resource: Resource = item
    ? JSON.parse(item.resource)
    : implied(account?.email ?? id, account?.name, account?.email)
  return account ? { ...resource, active: account.status !== 'suspended' } : { active: true, ...resource }
}

const implied = (userName: string, name: string | undefined, email: string | null | undefined): Resource => ({
  userName,
  ...(name && { displayName: name }),
  ...(email && { emails: [{ value: email, type: 'work', primary: true }] }),
})

/** A resource may grow change by change; an item of the table cannot be longer than 400 KB. */
const TEXT_BYTES_MAX = 262_144

/** What is stored of a resource: an account's status is the account's own. Throws 400 when it has become too large. */
export function storedText({ password: _password, active, ...rest }: Resource, mode: Mode): string {
  const text = canonicalJson(mode === 'test' ? { ...rest, active: active ?? true } : rest)
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) throw refused('invalidValue', 'The user would become too large.')
  return text
}

/**
 * Follows from what is shown, whoever changed it: suspending an account gives its resource another version, a sign-in does
 * not. Memberships are the groups' own.
 */
export const versionOf = (person: Person): string =>
  weakTag(
    sha256(canonicalJson(attributesOf(person)))
      .toString('base64url')
      .slice(0, VERSION_LENGTH),
  )

/** `groups`: ids of the groups that the person is a member of; undefined when nobody asked. */
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
