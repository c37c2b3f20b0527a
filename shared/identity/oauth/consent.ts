// A person lets a client act for it, with the scopes that were asked for and that there are.
import type { Interaction, Provider } from 'oidc-provider'
import { env } from '../../base/lib/env.ts'
import { OAUTH_SCOPES } from './scopes.ts'

/** The scopes that a request asks for, in our order; names that mean nothing are left out. */
export function askedScopes({ params }: Pick<Interaction, 'params'>): (typeof OAUTH_SCOPES)[number][] {
  const asked = params.scope?.split(' ') ?? []
  return OAUTH_SCOPES.filter((scope) => asked.includes(scope))
}

/** Gives or widens the grant of the interaction's person to its client, and answers its id. */
export async function giveConsent({ Grant }: Provider, interaction: Interaction, accountId: string): Promise<string> {
  const known = interaction.grantId === undefined ? undefined : await Grant.find(interaction.grantId)
  const grant = known ?? new Grant({ accountId, clientId: interaction.params.client_id ?? '' })
  const scope = askedScopes(interaction).join(' ')
  grant.addOIDCScope(scope)
  grant.addResourceScope(env('BASE_URL'), scope)
  return grant.save()
}
