// The storage of the OAuth library: one adapter per kind of artefact, in the single table.
import { type Adapter, errors, type Payload, Provider } from 'oidc-provider'
import { openTable } from '../../base/context.ts'
import type { Write } from '../../base/table/entity.ts'
import type { Facts } from '../artefacts/store.ts'
import { find, put, remove, removeIssued, useOnce } from '../artefacts/store.ts'

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
