// Consent: a person grants a client the scopes that it requested.
import { errors, type Interaction, type Provider, type RequestContext } from 'oidc-provider'
import { apiResource } from './resources.ts'
import { restOn } from './rests-on.ts'
import { OAUTH_SCOPES } from './scopes.ts'

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
