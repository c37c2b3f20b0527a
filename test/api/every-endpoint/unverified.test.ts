// Which rows need no verified address in live mode, and why. All others that are not a GET do.
import { beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../../functions/api.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { users, verifiedAs } from '../../../shared/identity/accounts/user.ts'
import type { Route } from '../../../shared/base/wire/route.ts'
import { anyRoute, type AnyCall, ends, named, paramsOf } from '../../support/any-route.ts'
import { ownerInPerson } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const OWN_ACCOUNT = 'it concerns the account of the caller alone'
const CHANGES_NOTHING = 'it reads, or only tries'
const ENDS_ACCESS = 'it only ends access or stops something, which must never wait'

const REASONS: Record<string, string> = {
  'auth-logout': OWN_ACCOUNT,
  'auth-update-me': OWN_ACCOUNT,
  'auth-change-password': OWN_ACCOUNT,
  'auth-end-session': OWN_ACCOUNT,
  'auth-disconnect-application': OWN_ACCOUNT,
  'mfa-begin-totp': OWN_ACCOUNT,
  'mfa-confirm-totp': OWN_ACCOUNT,
  'mfa-passkey-options': OWN_ACCOUNT,
  'mfa-add-passkey': OWN_ACCOUNT,
  'mfa-create-recovery-codes': OWN_ACCOUNT,
  'mfa-remove-factor': OWN_ACCOUNT,
  'protocol-validate-manifest': CHANGES_NOTHING,
  'protocol-evaluate': CHANGES_NOTHING,
  'scim-search-all': CHANGES_NOTHING,
  'scim-search-users': CHANGES_NOTHING,
  'scim-search-groups': CHANGES_NOTHING,
  'keys-revoke': ENDS_ACCESS,
  'clients-delete': ENDS_ACCESS,
  'users-revoke-credentials': ENDS_ACCESS,
  'users-disconnect-application': ENDS_ACCESS,
  'users-delete-sessions': ENDS_ACCESS,
  'security-set-freeze': ENDS_ACCESS,
}

const authenticated = routes.filter(
  ({ access, method }) => access !== 'public' && access !== 'provider' && method !== 'GET',
)

test('the rows that need no verified address are those listed here, each with its reason', () => {
  const free = authenticated.filter(({ whileUnverified }) => whileUnverified).map(({ id }) => id)

  expect(free.toSorted()).toEqual(Object.keys(REASONS).toSorted())
})

test('no other row says it: a GET and an open row never need one', () => {
  const others = routes.filter((route) => route.whileUnverified && !authenticated.includes(route))

  expect(others.map(({ id }) => id)).toEqual([])
})

const local = useLocalStack()
let call: AnyCall
let tenant_id: string
beforeAll(async () => {
  const tenant = await local.tenant() // of a plan whose rate limits so many requests keep
  const person = await ownerInPerson(local, tenant)
  tenant_id = tenant.tenant_id
  const { table } = systemContext({ tenant_id, mode: 'live' })
  const user = await table.get(users, { tenant_id, id: person.user_id })
  if (!user) throw new Error('no owner')
  const { _v, ...stored } = user
  await table.commit([users.replace({ ...stored, ...verifiedAs(undefined) }, user)])
  call = anyRoute(person.call)
})

/** Rows that an owner in a session may call; the tools of a tenant and directories take other credentials. */
const reachable = authenticated.filter(({ dialect, access }) => dialect === undefined && access !== 'scim:write')
const needing = reachable.filter((route) => ends(route) && !route.whileUnverified)

describe.each(named(needing))('%s', (_, route: Route) => {
  test('403: an owner whose address is not verified', async () => {
    const { status, body } = await call(route, { params: paramsOf(route, tenant_id) })

    expect({ status, code: body.code, route: route.id }).toEqual({
      status: 403,
      code: 'address_unverified',
      route: route.id,
    })
  })
})
