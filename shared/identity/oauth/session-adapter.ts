// Sign-ins of browsers. When a person signs out there, their clients are told. Those whose grant ends at the same time learn
// it from the end of the grant, the others (with offline access) from here.
import { type Payload, Provider } from 'oidc-provider'
import { changed } from '../../ledger/audit/changed.ts'
import { openTable } from '../../base/context.ts'
import { unlessOvertaken } from '../../base/kernel/retry.ts'
import { removeExisting } from '../artefacts/store.ts'
import { type Artefact, artefacts, named } from '../artefacts/artefact.ts'
import { logoutsFor } from '../artefacts/logouts.ts'
import { ArtefactAdapter } from './adapter.ts'
import { asUser, contextIn } from './current-request.ts'

export class SessionAdapter extends ArtefactAdapter {
  constructor() {
    super('Session')
  }

  override async destroy(id: string): Promise<void> {
    const payload = signsOut() ? await this.find(id) : undefined
    const user_id = payload?.accountId
    const grants = payload ? await liveGrants(payload) : []
    const [{ tenant_id } = {}] = grants
    if (typeof user_id !== 'string' || tenant_id === undefined) return super.destroy(id)
    const ctx = contextIn(tenant_id, asUser(user_id))
    const session = named(this.model, id).hash
    const writes = changed(
      ctx,
      [
        {
          action: 'session.revoked',
          artifact: 'identity.session.revoked',
          subject: { type: 'session', id: session },
          data: { user_id, why: 'signed_out' },
        },
      ],
      { logouts: logoutsFor(ctx, user_id, grants) },
    )
    // Unless it has ended meanwhile.
    await unlessOvertaken(ctx.table.commit([removeExisting(this.model, id), ...writes]))
  }
}

/** The library also removes a session that gets another id. */
const signsOut = () =>
  Provider.ctx?.oidc.route === 'end_session_confirm' && Provider.ctx.oidc.params?.logout !== undefined

/** Of the clients of this sign-in; each of them is of the person's tenant. */
async function liveGrants({ authorizations, accountId }: Payload): Promise<Artefact[]> {
  const table = openTable()
  const ids = Object.values((authorizations ?? {}) as Record<string, { grantId?: string }>).flatMap(
    ({ grantId }) => grantId ?? [],
  )
  const found = await Promise.all(ids.map((id) => table.get(artefacts, named('Grant', id))))
  const isLive = ({ account_id, exp }: Artefact) => account_id === accountId && exp * 1_000 > table.clock.now()
  return found.filter((grant) => grant !== undefined).filter(isLive)
}
