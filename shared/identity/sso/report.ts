// The page at the end of a test sign-in: the data from the provider, and the result of a real sign-in.
import type { Context } from '../../base/context.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import { Html, html, page } from '../../base/wire/page.ts'
import { Failure } from '../../base/lib/failure.ts'
import { rolesGiven } from '../accounts/all-roles.ts'
import type { User } from '../accounts/user.ts'
import { rolesAfterSignIn, rolesOfNewPerson } from './group-roles.ts'
import { findAccount } from './account.ts'
import type { SsoConfiguration } from './configuration.ts'
import type { Assurance } from './assurance.ts'

export async function reportPage(ctx: Context, sso: SsoConfiguration, person: Assurance): Promise<HttpResponse> {
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
