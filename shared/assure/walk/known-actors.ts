// Whether an actor is, or was, known to the tenant. Each is looked up once in a run.
import type { Context } from '../../base/context.ts'
import type { Readable } from '../../base/table/table.ts'
import { apiKeys, keyRefs } from '../../identity/access/api-key.ts'
import { users } from '../../identity/accounts/user.ts'
import { CLIENT_ID, oauthClients } from '../../identity/oauth/clients/client.ts'
import { auditEntries, resourcePartition } from '../../ledger/audit/entry.ts'
import { readable } from '../../ledger/evidence/artifact/artifact.ts'

export type Actor = { type: string; id: string }

const nameOf = ({ type, id }: Actor): string => `${type}#${id}`

export class KnownActors {
  readonly #ctx: Context
  readonly #found = new Map<string, boolean>()

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** Of actors that were looked up before. */
  has(actor: Actor): boolean {
    return this.#found.get(nameOf(actor)) ?? false
  }

  async lookUp(actors: readonly Actor[]): Promise<void> {
    const fresh = new Map(actors.filter((actor) => !this.#found.has(nameOf(actor))).map((one) => [nameOf(one), one]))
    const idsOf = (type: string) =>
      [...fresh.values()].filter((one) => one.type === type && isId(one)).map(({ id }) => id)
    const [people, keys, clients] = await Promise.all([
      this.#people(idsOf('user')),
      this.#keys(idsOf('api_key')),
      this.#clients(idsOf('client')),
    ])
    const known = new Set([...people, ...keys, ...clients])
    for (const [name, { type, id }] of fresh) this.#found.set(name, type === 'system' || known.has(id))
  }

  /** Accounts stay when a person leaves. */
  async #people(ids: readonly string[]): Promise<string[]> {
    const { tenant_id } = this.#ctx.space
    const found = await this.#read(
      users,
      ids.map((id) => ({ tenant_id, id })),
    )
    return found.map(({ id }) => id)
  }

  /** Keys stay when they are revoked. */
  async #keys(ids: readonly string[]): Promise<string[]> {
    const { tenant_id } = this.#ctx.space
    const refs = await this.#read(
      keyRefs,
      ids.map((id) => ({ tenant_id, id })),
    )
    const found = await this.#read(apiKeys, refs)
    return found.filter((one) => one.tenant_id === tenant_id).map(({ id }) => id)
  }

  /** A deleted client has an entry in the audit log. */
  async #clients(ids: readonly string[]): Promise<string[]> {
    const own = await this.#read(
      oauthClients,
      ids.filter((id) => CLIENT_ID.test(id)).map((client_id) => ({ client_id })),
    )
    const there = own
      .filter(({ tenant_id }) => tenant_id === this.#ctx.space.tenant_id)
      .map(({ client_id }) => client_id)
    const gone = await Promise.all(ids.filter((id) => !there.includes(id)).map((id) => this.#wasDeleted(id)))
    return [...there, ...gone.flat()]
  }

  async #wasDeleted(id: string): Promise<string[]> {
    const pk = resourcePartition(this.#ctx.space, { type: 'oauth_client', id })
    const entries = await this.#ctx.table.query(readable(auditEntries), { pk, index: 'gsi2' })
    return entries.some((entry) => entry?.action === 'oauth_client.deleted') ? [id] : []
  }

  async #read<T, K>(of: Readable<T, K>, keys: readonly NoInfer<K>[]): Promise<T[]> {
    const found = await this.#ctx.table.getAll(readable(of), keys)
    return found.filter((one) => one !== undefined)
  }
}

/** Text that can be part of a key. Any other id was not written by the service, so its actor is unknown. */
const isId = ({ id }: Actor): boolean => id !== '' && !id.includes('#')
