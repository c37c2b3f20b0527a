// The fields of an account that come from a SCIM resource: address and name.
import { cleanName } from '../../base/lib/display-name.ts'
import { Email } from '../accounts/email.ts'
import { ADDRESSES_MAX } from './keys.ts'
import { badRequest } from './refusal.ts'
import { isObject, type Resource } from './resource-type.ts'

const NAME_MAX = 200

export type AccountFields = { email: string | null; name: string }

export const accountFields = (resource: Resource): AccountFields => ({
  email: addressOf(resource) ?? null,
  name: nameOf(resource),
})

/** Throws 400 for more addresses than can have rows. */
export function mustHaveFewAddresses({ emails }: Resource): void {
  if (Array.isArray(emails) && emails.length > ADDRESSES_MAX)
    throw badRequest('invalidValue', `A user has too many addresses. Send at most ${ADDRESSES_MAX} emails.`)
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
