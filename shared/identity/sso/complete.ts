// The last step of every sign-in, for both protocols: finds the account, creates a one-time code and redirects back.
import type { Context } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { httpResponse, type HttpResponse } from '../../base/wire/call.ts'
import { interactionUrl } from './addresses.ts'
import { accountFor, type Assurance, findAccount } from './account.ts'
import type { SsoConfiguration } from './settings/configuration.ts'
import type { Move } from './update-account.ts'
import { createCode } from './one-time-code.ts'
import { notAdmitted } from './refusal.ts'
import type { SsoRequest } from './start.ts'
import { keepHandle, newHandle, sloKeyOf } from '../sessions/slo-handle.ts'
import { Html, html, page } from '../../base/wire/page.ts'
import { Failure } from '../../base/lib/failure.ts'
import { rolesGiven, type User } from '../accounts/user.ts'
import { rolesAfterSignIn, rolesOfNewPerson } from './roles.ts'

/** Where a sign-in ends. When the provider began it, there is no request, and the configuration decides. */
export type Ending = Pick<SsoRequest, 'redirect_uri' | 'state' | 'code_challenge' | 'interaction' | 'test'>

/**
 * Updates or creates the account, and redirects the browser with a one-time code, or to the report of a test, which changes nothing.
 * Throws 403 for a person who may not sign in. The address to return to is one of the configuration, or was checked when the sign-in began. `ctx` is inside the
 * tenant.
 */
export async function complete(
  ctx: Context,
  sso: Stored<SsoConfiguration>,
  ending: Ending,
  person: Assurance,
  move?: Move,
): Promise<HttpResponse> {
  if (ending.test) return reportPage(ctx, sso, person)
  const { interaction, code_challenge } = ending
  const target =
    interaction === undefined ? (ending.redirect_uri ?? sso.login_redirect_uris[0]) : interactionUrl(interaction)
  if (target === undefined)
    throw notAdmitted('There is no address to return to. An owner can add one to login_redirect_uris.')
  const user = await accountFor(ctx, sso, person, move)
  const handle = person.slo && sso.saml && newHandle(ctx, user.id, { issuer: sso.saml.idp_entity_id, ...person.slo })
  if (handle) await keepHandle(ctx, handle)
  const code = await createCode(ctx, {
    tenant_id: sso.tenant_id,
    user_id: user.id,
    amr: person.amr,
    trusted_mfa: person.mfa && sso.trust_idp_mfa,
    session_cap: person.session_cap,
    slo_key: handle && sloKeyOf(handle),
    code_challenge,
    interaction,
  })
  const url = new URL(target)
  url.searchParams.set('code', code)
  if (ending.state !== undefined) url.searchParams.set('state', ending.state)
  return redirect(url.toString())
}

export const redirect = (url: string, headers: Record<string, string> = {}): HttpResponse =>
  httpResponse(302, '', { Location: url, ...headers })

/** The page at the end of a test sign-in: the data from the provider, and the result that a real sign-in would have. */
async function reportPage(ctx: Context, sso: SsoConfiguration, person: Assurance): Promise<HttpResponse> {
  const rows: [string, string][] = [
    ['E-mail address', person.email],
    ['Name', person.name ?? 'not sent'],
    ['Second factor at the provider', person.mfa ? 'yes' : 'not sent'],
    ['Session ends at the latest', person.session_cap ?? 'as your session policy says'],
    ['Attributes', person.attributes.join(', ') || 'none'],
    ...(sso.group_attribute === undefined ? [] : [['Groups', person.groups.join(', ') || 'none'] as [string, string]]),
    ['A real sign-in', await outcome(ctx, sso, person)],
  ]
  const list = rows
    .map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`.text,
    )
    .join('')
  return page(
    'The test has succeeded',
    html`<p>Nobody was signed in. The identity provider sent:</p>
      <dl>${new Html(list)}</dl>`,
  )
}

async function outcome(ctx: Context, sso: SsoConfiguration, person: Assurance): Promise<string> {
  try {
    const { user, mayCreate } = await findAccount(ctx, sso, person)
    if (user) return `signs in to the account ${user.id}${rolesAfter(sso, person, user)}`
    const roles = rolesGiven({ ...rolesOfNewPerson(sso, person.groups), group_roles: [] })
    return mayCreate ? `creates an account with the roles ${roles.join(', ')}` : 'is refused: no account'
  } catch (error) {
    if (error instanceof Failure && typeof error.detail === 'string') return `is refused: ${error.detail}`
    throw error
  }
}

/** What the groups of the provider make of the person's roles; nothing when they give none. */
function rolesAfter(sso: SsoConfiguration, { groups }: Assurance, user: User): string {
  if (sso.group_attribute === undefined) return ''
  const roles = rolesGiven({ ...user, ...rolesAfterSignIn(sso, groups, user.roles) })
  return ` with the roles ${roles.join(', ') || 'none'}`
}
