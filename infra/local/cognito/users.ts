// The administrative user operations of the Cognito stand-in.
import { randomUUID } from 'node:crypto'
import { USER_POOL } from '../../topology.ts'
import { AwsError } from '../aws-error.ts'
import type { Actions } from '../aws-server.ts'
import { hashPassword } from './passwords.ts'
import type { Store, User } from './store.ts'
import { attributesOf } from './triggers.ts'

type Attribute = { Name: string; Value?: string }
type Named = { Username: string }

const TENANT = `custom:${USER_POOL.tenantAttribute}`
const KNOWN = ['email', 'email_verified', 'name', TENANT]
const NOTHING_TRIED = { failures: 0, locked_until: 0, attempted_at: 0 }
const PAGE = 60

const refused = (message: string) => new AwsError('InvalidParameterException', message)

/** A blank value removes an attribute. */
function applied(attributes: Record<string, string>, changes: readonly Attribute[]): Record<string, string> {
  const unknown = changes.find(({ Name }) => !KNOWN.includes(Name))
  if (unknown) throw refused(`Attributes did not conform to the schema: ${unknown.Name}: Attribute does not exist.`)
  const next = { ...attributes, ...Object.fromEntries(changes.map(({ Name, Value = '' }) => [Name, Value])) }
  return Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ''))
}

function mustMeetPasswordPolicy(password: string): void {
  if (password.length > 256 || !/^\S.*\S$/s.test(password))
    throw refused('Value at password failed to satisfy constraint')
  if (password.length >= USER_POOL.passwordLengthMin) return
  throw new AwsError('InvalidPasswordException', 'Password did not conform with policy: Password not long enough')
}

/** Dates are in seconds, as in AWS JSON. */
const described = (user: User) => ({
  Username: user.username,
  Enabled: user.enabled,
  UserStatus: user.password ? 'CONFIRMED' : 'FORCE_CHANGE_PASSWORD',
  UserCreateDate: user.created_at / 1_000,
  UserLastModifiedDate: user.modified_at / 1_000,
})

const listed = (user: User): Attribute[] =>
  Object.entries(attributesOf(user))
    .filter(([name]) => !name.startsWith('cognito:'))
    .map(([Name, Value]) => ({ Name, Value }))

/** The pool id of the inputs was checked before. */
export function userActions(store: Store, now: () => number): Actions {
  const change: Change = ({ Username }, next) => {
    store.save({ ...store.user(Username), ...next, modified_at: now() })
    return {}
  }
  return { ...directory(store, change, now), ...states(store, change) }
}

type Change = (of: Named, next: Partial<User>) => object

const directory = (store: Store, change: Change, now: () => number): Actions => ({
  AdminCreateUser: ({ Username, UserAttributes = [] }: Named & { UserAttributes?: Attribute[] }) => {
    if (store.find(Username)) throw new AwsError('UsernameExistsException', 'User account already exists')
    const times = { created_at: now(), modified_at: now() }
    const attributes = applied({}, UserAttributes)
    const made = { username: Username, sub: randomUUID(), attributes, password: null, enabled: true, ...times }
    const user = { ...made, ...NOTHING_TRIED }
    store.save(user)
    return { User: { ...described(user), Attributes: listed(user) } }
  },
  AdminGetUser: ({ Username }: Named) => {
    const user = store.user(Username)
    return { ...described(user), UserAttributes: listed(user) }
  },
  AdminUpdateUserAttributes: ({ Username, UserAttributes }: Named & { UserAttributes: Attribute[] }) => {
    const { attributes } = store.user(Username)
    if (!UserAttributes.some(({ Name }) => Name === TENANT)) {
      return change({ Username }, { attributes: applied(attributes, UserAttributes) })
    }
    throw refused(`user.${TENANT}: Attribute cannot be updated.`)
  },
  AdminDeleteUser: ({ Username }: Named) => {
    store.remove(store.user(Username).username)
    return {}
  },
  ListUsers: (input: Listing) => listUsers(store.users(), input),
})

type PasswordInput = Named & { Password: string; Permanent?: boolean }

const states = (store: Store, change: Change): Actions => ({
  AdminSetUserPassword: async ({ Username, Password, Permanent }: PasswordInput) => {
    if (!Permanent) throw refused('the local stand-in supports permanent passwords only')
    mustMeetPasswordPolicy(Password)
    store.user(Username)
    const password = await hashPassword(Password)
    return change({ Username }, { password })
  },
  AdminDisableUser: (input: Named) => {
    store.revokeAll(store.user(input.Username).sub)
    return change(input, { enabled: false })
  },
  AdminEnableUser: (input: Named) => change(input, { enabled: true }),
  AdminUserGlobalSignOut: ({ Username }: Named) => {
    store.revokeAll(store.user(Username).sub)
    return {}
  },
})

type Listing = { Filter?: string; Limit?: number; PaginationToken?: string }

/** `Filter`: `<attribute> = "<value>"`. */
function listUsers(all: User[], { Filter, Limit = PAGE, PaginationToken = '0' }: Listing) {
  const [, name = '', value = ''] = /^\s*"?([\w:]+)"?\s*=\s*"(.*)"\s*$/.exec(Filter ?? '') ?? []
  if (Filter && !name) throw refused('Error while parsing filter.')
  const found = all.filter((user) => !name || { ...attributesOf(user), username: user.username }[name] === value)
  const start = Number(PaginationToken)
  const end = start + Math.min(Limit, PAGE)
  return {
    Users: found.slice(start, end).map((user) => ({ ...described(user), Attributes: listed(user) })),
    ...(end < found.length && { PaginationToken: String(end) }),
  }
}
