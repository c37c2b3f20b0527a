// What a SCIM resource says about its person: address and name of the account, and the user name. A user name belongs to one person of
// a space, without regard to case: the person who has a row for it, or the account with that address.
import { isMailbox } from '../../../base/lib/mailbox.ts'
import { cleanName } from '../../../base/lib/names.ts'
import { Email } from '../../accounts/password.ts'
import { ADDRESSES_MAX, keyRow, keyWrites, scimKeys } from '../filter/keys.ts'
import { badRequest, uniquenessConflict } from '../refusal.ts'
import { coreAttribute, isObject, type Resource, USER } from '../resource-type.ts'
import type { Context } from '../../../base/context.ts'
import type { Write } from '../../../base/table/entity.ts'
import { comparable } from '../filter/attribute.ts'
import { findPeopleByUserName, peopleOf } from './find-users.ts'
import { iso } from '../../../base/lib/clock.ts'
import { ChangedMeanwhile } from '../../../base/kernel/retry.ts'
import { type Person, scimUsers, storedText } from './user.ts'
import type { UserChange } from './update-user.ts'

const NAME_MAX = 200

export type AccountFields = { email: string | null; name: string }

export const accountFields = (resource: Resource): AccountFields => ({
  email: addressOf(resource) ?? null,
  name: nameOf(resource),
})

/**
 * Throws 400 for more addresses than can have rows, and for a person who has addresses of which none can get mail: the directory
 * would otherwise believe that they can be reached. A person without any address is taken.
 */
export function mustHaveGoodAddresses(resource: Resource): void {
  const { emails } = resource
  if (!Array.isArray(emails)) return
  if (emails.length > ADDRESSES_MAX)
    throw badRequest('invalidValue', `A user has too many addresses. Send at most ${ADDRESSES_MAX} emails.`)
  const named = emails.filter(isObject).flatMap(({ value }) => (isText(value) ? [value] : []))
  if (named.length > 0 && !named.some(isMailbox) && addressOf(resource) === undefined)
    throw badRequest(
      'invalidValue',
      'None of the addresses in emails can get mail, and neither can userName. Send one such as ada@example.com.',
    )
}

/** The first valid address of: the primary one, the one for work, the user name. */
function addressOf({ emails, userName }: Resource): string | undefined {
  const all = Array.isArray(emails) ? emails.filter(isObject) : []
  const primary = all.find((email) => email.primary === true)?.value
  const work = all.find(({ type }) => typeof type === 'string' && type.toLowerCase() === 'work')?.value
  for (const candidate of [primary, work, userName]) {
    const address = Email.safeParse(candidate)
    if (address.success) return address.data
  }
  return undefined
}

function nameOf({ displayName, name }: Resource): string {
  const { formatted, givenName, familyName } = isObject(name) ? name : {}
  const composed = [givenName, familyName].filter(isText).join(' ')
  const fullName = [displayName, formatted, composed].find(isText) ?? ''
  return cleanName(fullName, NAME_MAX) // not refused: a person is not kept out for how a directory spells their name
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** Throws 409 uniqueness when another person has the name. */
export async function mustBeFree(ctx: Context, userName: string, id?: string): Promise<void> {
  const holders = await findPeopleByUserName(ctx, userName)
  if (holders.some((holder) => holder.id !== id)) throw uniquenessConflict('userName')
}

/** Gives the name to a person. Takes over the row of a removed person; throws 409 when another person has it. */
export async function claimUserName(ctx: Context, userName: string, id: string): Promise<Write> {
  const row = keyRow(ctx.space, 'userName', userName, id)
  const former = await ctx.table.get(scimKeys, row)
  if (!former) return scimKeys.insert(row, uniquenessConflict('userName'))
  if (former.id !== id && (await peopleOf(ctx, [former.id])).length > 0) throw uniquenessConflict('userName')
  return scimKeys.replace(row, former, uniquenessConflict('userName'))
}

export const releaseUserName = ({ space }: Context, userName: string, id: string): Write =>
  scimKeys.remove(keyRow(space, 'userName', userName, id))

export function sameUserName(a: unknown, b: unknown): boolean {
  const attribute = coreAttribute(USER, 'userName')
  return attribute !== undefined && comparable(attribute, String(a)) === comparable(attribute, String(b))
}

/** The writes that store a changed resource and its rows. Inserts them for an account that no directory has written before. */
export async function changedResource(ctx: Context, { id, item }: Person, { was, next }: UserChange): Promise<Write[]> {
  const { space } = ctx
  const at = iso(ctx.now())
  const stored = {
    ...space,
    id,
    resource: storedText(next, space.mode),
    created_at: item?.created_at ?? at,
    updated_at: at,
  }
  const isRenamed = !sameUserName(was.userName, next.userName)
  return [
    item ? scimUsers.replace(stored, item, new ChangedMeanwhile()) : scimUsers.insert(stored, new ChangedMeanwhile()),
    ...(isRenamed || !item ? [await claimUserName(ctx, String(next.userName), id)] : []),
    ...(isRenamed && item ? [releaseUserName(ctx, String(was.userName), id)] : []),
    ...keyWrites(space, USER, id, item ? was : {}, next),
  ]
}
