// Consent: a person grants a client the scopes that it requested.
import type { Interaction, Provider } from 'oidc-provider'
import { apiResource } from './resources.ts'
import { OAUTH_SCOPES } from './scopes.ts'

/** The requested scopes in a fixed order, without unknown ones. */
export function requestedScopes({ params }: Pick<Interaction, 'params'>): (typeof OAUTH_SCOPES)[number][] {
  const requested = params.scope?.split(' ') ?? []
  return OAUTH_SCOPES.filter((scope) => requested.includes(scope))
}

/** The resources that were asked for; the server has checked them. */
export const requestedResources = ({ params: { resource = apiResource() } }: Pick<Interaction, 'params'>): string[] =>
  [resource].flat()

/** Creates or widens the person's grant to the client, and returns its id. */
export async function giveConsent({ Grant }: Provider, interaction: Interaction, accountId: string): Promise<string> {
  const known = interaction.grantId === undefined ? undefined : await Grant.find(interaction.grantId)
  const grant = known ?? new Grant({ accountId, clientId: interaction.params.client_id ?? '' })
  const scope = requestedScopes(interaction).join(' ')
  grant.addOIDCScope(scope)
  for (const resource of requestedResources(interaction)) grant.addResourceScope(resource, scope)
  return grant.save()
}
