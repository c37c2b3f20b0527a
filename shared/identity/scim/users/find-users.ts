// Finds people of a directory: by id, by an attribute with look-up rows, or all in the order of their creation.
import type { Context, Space } from '../../../base/context.ts'
import { ID } from '../../../base/wire/fields.ts'
import { inParallel } from '../../../base/lib/in-parallel.ts'
import { notFound } from '../../../base/lib/failure.ts'
import type { Readable } from '../../../base/table/table.ts'
import { emailHash, emails, nameHolders, users } from '../../accounts/user.ts'
import { type KeyedAttribute, keyHash, keyPartition, SCAN_MAX, scimKeys } from '../filter/keys.ts'
import { attributesOf, peoplePartition, type Person, scimUsers } from './user.ts'
import { userGroupsPartition } from '../groups/stored-group.ts'

/** People whose reads fit into one batch of 100 items: two items each. */
const TOGETHER = 50
const PER_CALL = 100
const AT_ONCE = 10

/** Throws the same 404 for missing and deleted people and for those of other tenants. */
export async function findPerson(ctx: Context, id: string): Promise<Person> {
  const [person] = await peopleOf(ctx, [id])
  if (!person) throw notFound('directory user')
  return person
}

/** In the order of `ids`, without missing people. */
export async function peopleOf({ table, space }: Context, ids: readonly string[]): Promise<Person[]> {
  const known = [...new Set(ids)].filter((id) => ID.test(id)).map((id) => ({ ...space, id }))
  const read = async <T extends { id: string }>(of: Readable<T, Space & { id: string }>) => {
    const found =
      known.length <= TOGETHER
        ? await Promise.all(known.map((key) => table.get(of, key)))
        : (await inParallel(AT_ONCE, chunks(known, PER_CALL), (chunk) => table.getAll(of, chunk))).flat()
    return new Map(found.filter((one) => one !== undefined).map((one) => [one.id, one]))
  }
  const [accounts, items] = await Promise.all([space.mode === 'live' ? read(users) : undefined, read(scimUsers)])
  return known.flatMap(({ id }) => {
    const [account, item] = [accounts?.get(id), items.get(id)]
    const isThere = accounts ? account && account.status !== 'deleted' : item
    return isThere ? [{ id, ...(account && { account }), ...(item && { item }) }] : []
  })
}

const chunks = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))

/** Ids of people who may have the user name, by its look-up row and by the address of an account. One call. */
export async function idsByUserName({ table, space }: Context, userName: string): Promise<string[]> {
  const row = { ...space, attribute: 'userName' as const, hash: keyHash('userName', userName), id: 'any' }
  const address = { email_hash: emailHash(userName), tenant_id: space.tenant_id }
  const [named, reserved] = await Promise.all([
    table.get(scimKeys, row),
    space.mode === 'live' ? table.get(emails, address) : undefined,
  ])
  return [named?.id, reserved?.user_id].filter((id) => typeof id === 'string')
}

/** The people who have the user name. Outdated look-up rows are ignored. */
export async function findPeopleByUserName(ctx: Context, userName: string): Promise<Person[]> {
  const people = await peopleOf(ctx, await idsByUserName(ctx, userName))
  const hash = keyHash('userName', userName)
  return people.filter((person) => keyHash('userName', String(attributesOf(person).userName)) === hash)
}

/** Ids of people who may have the name: the directory's, or that of an account which no directory has written. */
export async function idsByDisplayName(ctx: Context, name: string): Promise<string[]> {
  const { table, space } = ctx
  const named = table.keys({ pk: nameHolders(space.tenant_id, name), index: 'gsi2', limit: SCAN_MAX + 1 })
  const [written, accounts] = await Promise.all([
    idsByKey(ctx, 'userDisplayName', name),
    space.mode === 'live' ? named : [],
  ])
  return [...new Set([...written, ...accounts.map(({ sort }) => sort)])]
}

/** Ids of people who may have the address: among those of the directory, or as that of their account. */
export async function idsByAddress(ctx: Context, address: string): Promise<string[]> {
  const { table, space } = ctx
  const [written, reserved] = await Promise.all([
    idsByKey(ctx, 'email', address),
    space.mode === 'live'
      ? table.get(emails, { email_hash: emailHash(address), tenant_id: space.tenant_id })
      : undefined,
  ])
  return [...new Set([...written, ...(reserved?.user_id ? [reserved.user_id] : [])])]
}

/** Ids of the resources that may have the value, at most one more than a request may scan. */
export async function idsByKey(
  { table, space }: Context,
  attribute: Exclude<KeyedAttribute, 'userName'>,
  value: string,
): Promise<string[]> {
  const pk = keyPartition({ ...space, attribute, hash: keyHash(attribute, value) })
  return (await table.query(scimKeys, { pk, limit: SCAN_MAX + 1 })).map(({ id }) => id)
}

/** Ids of everybody, oldest first, at most `limit`. */
export async function idsOfPeople({ table, space }: Context, limit: number): Promise<string[]> {
  const keys = await table.keys({ pk: peoplePartition(space), index: 'gsi1', limit })
  return keys.map(({ sort }) => sort.slice(sort.indexOf('#') + 1))
}

/** The ids of the groups of each member, from an index that may lag. */
export async function groupIdsOf({ table, space }: Context, ids: readonly string[]): Promise<Map<string, string[]>> {
  const found = await inParallel(AT_ONCE, ids, async (id) => {
    const keys = await table.keys({ pk: userGroupsPartition(space, id), index: 'gsi1' })
    return [id, keys.map(({ sort }) => sort)] as const
  })
  return new Map(found)
}
