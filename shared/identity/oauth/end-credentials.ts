// Ends what a person made for OAuth together with its evidence: a client or a registration token. Each answers false when it has
// ended already.
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { Artefact } from '../artefacts/artefact.ts'
import { removeRecorded } from '../artefacts/end-grant.ts'
import { endConsents } from '../artefacts/end-grants.ts'
import { forgetClient, type OAuthClient } from './client.ts'
import { clientDeleted } from './delete-client.ts'

export async function endClient(ctx: Context, client: OAuthClient): Promise<boolean> {
  try {
    await ctx.table.commit(clientDeleted(ctx, client))
    await endConsents(ctx, client.client_id)
    return true
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not_found') return false
    throw error
  } finally {
    forgetClient(client.client_id)
  }
}

export const endRegistrationToken = (ctx: Context, token: Artefact, user_id: string): Promise<boolean> =>
  removeRecorded(ctx, token, {
    action: 'registration_token.revoked',
    artifact: 'identity.registration_token.revoked',
    subject: { type: 'registration_token', id: token.public_id ?? token.hash },
    data: { user_id },
  })
