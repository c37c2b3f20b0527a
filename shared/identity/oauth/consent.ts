// Consent: a person grants a client the scopes that it requested. The grant rests on the sign-in of the browser in which it was
// given; the library stores that sign-in, with the session at the identity provider, in its sessions and grants, sealed as they are.
import { errors, type Grant, type Interaction, Provider, type RequestContext, type SignIn } from 'oidc-provider'
import { apiResource } from './resources.ts'
import { OAUTH_SCOPES } from './scopes.ts'
import { openTable } from '../../base/context.ts'
import { DAY_MS } from '../../base/lib/clock.ts'

/** The requested scopes in a fixed order, without unknown ones. */
export function requestedScopes({ params }: Pick<Interaction, 'params'>): (typeof OAUTH_SCOPES)[number][] {
  const requested = params.scope?.split(' ') ?? []
  return OAUTH_SCOPES.filter((scope) => requested.includes(scope))
}

/** The resources that were asked for; the server has checked them. */
export const requestedResources = ({ params: { resource = apiResource() } }: Pick<Interaction, 'params'>): string[] =>
  [resource].flat()

/** Creates or widens the person's grant to the client, and returns its id. Throws when their browser was signed out meanwhile. */
export async function giveConsent(
  { Grant, Session }: Provider,
  ctx: RequestContext,
  interaction: Interaction,
): Promise<string> {
  const { accountId, sign_in } = await Session.get(ctx)
  if (accountId === undefined || accountId !== interaction.session?.accountId || !sign_in)
    throw new errors.SessionNotFound('signed out')
  const known = interaction.grantId === undefined ? undefined : await Grant.find(interaction.grantId)
  const grant = known ?? new Grant({ accountId, clientId: interaction.params.client_id ?? '' })
  const scope = requestedScopes(interaction).join(' ')
  grant.addOIDCScope(scope)
  for (const resource of requestedResources(interaction)) grant.addResourceScope(resource, scope)
  restOn(grant, sign_in)
  return grant.save()
}

/** How long a grant lasts, if nothing ends it before. */
export const GRANT_SECONDS = (30 * DAY_MS) / 1_000

/** Lets the library store `sign_in`, too: of a sign-in it stores only what its protocols name. */
export function keepSignIns({ Session, Grant: Grants }: Provider): void {
  for (const model of [Session, Grants])
    Object.defineProperty(model, 'IN_PAYLOAD', { value: [...model.IN_PAYLOAD, 'sign_in'] })
  // oxlint-disable-next-line typescript/unbound-method -- called below with the session that it belongs to
  const known = Session.prototype.loginAccount
  Session.prototype.loginAccount = function (details) {
    known.call(this, details)
    const { rests_on } = Provider.ctx?.oidc.entities.Interaction?.result?.login ?? {}
    this.sign_in = rests_on ?? { at: Number(this.loginTs) }
  }
}

/** The grant of this browser, which rests on the latest sign-in there. */
export async function existingGrant({ oidc }: RequestContext): Promise<Grant | undefined> {
  const { provider, session, client, result } = oidc
  const id = result?.consent?.grantId ?? session?.grantIdFor(client?.clientId ?? '')
  const grant = id === undefined ? undefined : await provider.Grant.find(id)
  const { accountId, sign_in } = session ?? {}
  if (!grant || grant.accountId !== accountId || !sign_in || grant.sign_in?.at === sign_in.at) return grant
  restOn(grant, sign_in)
  await grant.save()
  return grant
}

function restOn(grant: Grant, sign_in: SignIn): void {
  const given = grant.iat ?? Math.floor(openTable().clock.now() / 1_000)
  grant.sign_in = sign_in
  grant.exp = Math.min(given + GRANT_SECONDS, sign_in.ends_at ?? Number.POSITIVE_INFINITY)
}
