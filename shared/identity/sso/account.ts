// The account of a person who signs in through an identity provider. It is found by its tie or by the address, updated with
// the name and address from the provider, or created.
import { givenRoles } from '../access/roles.ts'
import type { Context } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { createAccount } from '../users/create-account.ts'
import { formerAddresses } from '../users/change-email.ts'
import { isStillInvited } from '../access/link.ts'
import { emailHash, emails, type User, users } from '../accounts/user.ts'
import { mustSpeakFor, notAdmitted } from './refusal.ts'
import type { SsoConfiguration } from './settings/configuration.ts'
import { type Move, updateFromProvider } from './update-account.ts'
import { rolesOfNewPerson, stillConfigured } from './roles.ts'
import { tiedUserId, tieWrites } from './subject-tie.ts'

/**
 * `vouches`: the domain is verified now, so that the provider says who the person is. `former`: the deleted account that the
 * subject is still tied to.
 */
export type Found = {
  user: Stored<User> | undefined
  isTied: boolean
  mayCreate: boolean
  vouches: boolean
  former?: string
}

/** Throws 403 for a person of a domain that is not verified, or whose account is not open. Changes nothing. */
export async function findAccount(ctx: Context, sso: SsoConfiguration, { email, subject }: Assurance): Promise<Found> {
  const status = await mustSpeakFor(ctx.table, sso, email)
  const tiedTo = subject && (await userById(ctx, await tiedUserId(ctx, subject)))
  const former = tiedTo?.status === 'deleted' ? tiedTo.id : undefined
  const isTied = tiedTo !== undefined && former === undefined
  const user = isTied ? tiedTo : await userById(ctx, await idByAddress(ctx, email))
  if (user && user.status !== 'active' && user.status !== 'invited') {
    throw notAdmitted(`The account is ${user.status}. An administrator can activate it.`)
  }
  if (user?.status === 'invited' && !(await isStillInvited(ctx.table, user))) {
    throw notAdmitted('The invitation has expired. An administrator can invite the person again.')
  }
  if (!user && (former !== undefined || (await isFormer(ctx, email)))) {
    throw notAdmitted('The account of this e-mail address was deleted. An administrator can invite the person again.')
  }
  const vouches = status === 'verified'
  return { user, isTied, mayCreate: sso.jit && vouches, vouches, ...(former !== undefined && { former }) }
}

const userById = async ({ table, space }: Context, id: string | undefined): Promise<Stored<User> | undefined> =>
  id === undefined ? undefined : table.get(users, { tenant_id: space.tenant_id, id })

const isFormer = async ({ table, space }: Context, email: string): Promise<boolean> =>
  (await table.get(formerAddresses, { email_hash: emailHash(email), tenant_id: space.tenant_id })) !== undefined

async function idByAddress({ table, space }: Context, email: string): Promise<string | undefined> {
  const row = await table.get(emails, { email_hash: emailHash(email), tenant_id: space.tenant_id })
  return row?.state === 'complete' ? (row.user_id ?? undefined) : undefined
}

/**
 * The account of a person whom the provider has identified, updated or created. Throws 403 like `findAccount`, and when a new person
 * may not get an account. Roles come from the configuration and the groups, never from other members of the message. Where
 * groups give roles, the commit fails when the configuration was changed meanwhile. `ctx` is inside the tenant. `move` changes the address of people who are tied by their
 * subject.
 */
export async function accountFor(
  ctx: Context,
  sso: Stored<SsoConfiguration>,
  person: Assurance,
  move?: Move,
): Promise<Stored<User>> {
  const { user, mayCreate, ...tie } = await findAccount(ctx, sso, person)
  if (user) return updateFromProvider(ctx, user, { sso, person, move, ...tie })
  if (!mayCreate)
    throw notAdmitted('There is no account for this e-mail address. An administrator can invite the person.')
  const { tenant_id } = sso
  const { email, name = nameFrom(email), subject } = person
  const given = rolesOfNewPerson(sso, person.groups)
  return createAccount(ctx, {
    email,
    name,
    roles: [...given.roles],
    sso_roles: [...given.sso_roles],
    source: 'sso',
    status: 'active',
    verified_by: 'provider',
    also: async ({ id }) => ({
      writes: [
        ...givenRoles(tenant_id, [...given.roles, ...given.sso_roles]),
        ...stillConfigured(sso),
        ...(subject ? await tieWrites(ctx, id, subject) : []),
      ],
    }),
  })
}

const nameFrom = (email: string) => email.slice(0, email.lastIndexOf('@')).slice(0, 120)

/** The statement of an identity provider about a person, independent of the protocol. */
export type Assurance = {
  email: string
  name: string | undefined
  /** OpenID Connect: ties the person to one account, even when the address changes. */
  subject?: { issuer: string; sub: string }
  /** RFC 8176. */
  amr: string[]
  mfa: boolean
  session_cap?: string | undefined
  /** SAML: how the provider will name the sign-in when it signs the person out. */
  slo?: { name_id: string; session_index: string | undefined }
  /** The values of the configured `group_attribute`. */
  groups: readonly string[]
  /** The names of all attributes that the provider sent, for reports. */
  attributes: string[]
}
