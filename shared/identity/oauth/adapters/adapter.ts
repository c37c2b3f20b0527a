// The storage of the OAuth library: one adapter per kind of artefact, in the single table. The adapter here serves most kinds, and
// sign-ins of browsers.
import { type Adapter, errors, type Payload, Provider } from 'oidc-provider'
import { openTable } from '../../../base/context.ts'
import type { Write } from '../../../base/table/entity.ts'
import { type Facts, find, put, remove, removeExisting, removeIssued, useOnce } from '../../artefacts/store.ts'
import { changed } from '../../../ledger/audit/changed.ts'
import { unlessChangedMeanwhile } from '../../../base/kernel/retry.ts'
import { type Artefact, artefacts, named } from '../../artefacts/artefact.ts'
import { logoutsFor } from '../../artefacts/logouts.ts'
import { asUser, contextIn } from '../current-request.ts'

/** 2100-01-01, for artefacts that do not expire. */
const NEVER = 4_102_444_800

/** Codes and tokens name a session by its `uid`. An extra item finds it, because an index would lag behind the first look-up. */
const BY_UID = 'SessionUid'

export class ArtefactAdapter implements Adapter {
  readonly model: string

  constructor(model: string) {
    this.model = model
  }

  async upsert(id: string, payload: Payload): Promise<void> {
    await openTable().commit(this.writesOf(id, payload))
  }

  /** The writes that store a payload. */
  protected writesOf(id: string, payload: Payload, facts: Facts = {}): Write[] {
    const table = openTable()
    const exp = typeof payload.exp === 'number' ? payload.exp : NEVER
    const known = { ...factsOf(payload), ...facts }
    const writes = [put(table, { model: this.model, id, payload, exp, facts: known })]
    const { uid } = payload
    if (typeof uid === 'string') writes.push(put(table, { model: BY_UID, id: uid, payload: { session: id }, exp }))
    return writes
  }

  async find(id: string): Promise<Payload | undefined> {
    return find(openTable(), this.model, id)
  }

  async findByUid(uid: string): Promise<Payload | undefined> {
    const table = openTable()
    const known = await find(table, BY_UID, uid)
    return known && find(table, this.model, String(known.session))
  }

  /** Only device codes are looked up this way; they have their own adapter. */
  async findByUserCode(_code: string): Promise<Payload | undefined> {
    return undefined
  }

  /** Of several concurrent uses one succeeds. The others are refused like a second use. */
  async consume(id: string): Promise<void> {
    if (await useOnce(openTable(), this.model, id)) return
    if (this.model === 'PushedAuthorizationRequest')
      throw new errors.InvalidRequestUri('The request_uri was used already. Push the request again.')
    throw new errors.InvalidGrant()
  }

  async destroy(id: string): Promise<void> {
    await openTable().commit([remove(this.model, id)])
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await removeIssued(openTable(), grantId)
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined)

const factsOf = ({ clientId, grantId }: Payload): Facts => ({
  tenant_id: Provider.ctx?.oidc.client?.tenant_id,
  client_id: text(clientId),
  grant_id: text(grantId),
})

/**
 * Sign-ins of browsers. When a person signs out there, their clients get a notice. For grants that end at the same time the end of
 * the grant sends it; for the others (with offline access) this adapter does.
 */
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
    await unlessChangedMeanwhile(ctx.table.commit([removeExisting(this.model, id), ...writes]))
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
