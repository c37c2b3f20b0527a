// A connector as verbs need it, whether it is of the catalogue or the tenant's own.
import type { Context, Space } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import type { Key, Stored } from '../../base/table/entity.ts'
import type { CatalogueDocument } from './catalogue/document.ts'
import { isOfCatalogue } from './catalogue/ids.ts'
import type { OAuthRules, Provider } from './catalogue/provider.ts'
import {
  type Auth,
  type Connector,
  connectors,
  connectorSettings,
  connectorsPartition,
  findOwn,
  type Settings,
  settingsPartition,
} from './connector.ts'

export type KnownConnector = Pick<
  Connector,
  | 'id'
  | 'name'
  | 'category'
  | 'description'
  | 'base_url'
  | 'auth'
  | 'openapi'
  | 'actions_count'
  | 'inbound'
  | 'inbound_sealed'
> & {
  /** Undefined for those of the catalogue. */
  own: Stored<Connector> | undefined
  provider: Provider | undefined
  settings: Stored<Settings> | undefined
  /** Only with `oauth2`. */
  rules: OAuthRules | undefined
  scopes_required: readonly string[]
  purpose: string | undefined
  data_categories: readonly string[]
}

/** The key of the row that holds a tenant's own connector, or its settings for one of the catalogue. */
export const rowOf = (space: Space, { id, own }: { id: string; own: boolean }): Key =>
  own ? connectors.key({ ...space, id }) : connectorSettings.key({ ...space, connector_id: id })

/** Throws 404. */
export async function findConnector(ctx: Context, id: string): Promise<KnownConnector> {
  if (isOfCatalogue(id)) {
    const settings = ctx.table.get(connectorSettings, { ...ctx.space, connector_id: id })
    const found = (await loadCatalogue()).find(({ provider }) => provider.id === id)
    if (found) return ofCatalogue(found, await settings)
  }
  const own = await findOwn(ctx, id)
  if (!own) throw notFound('connector')
  return ofTenant(own)
}

/** By their ids, the tenant's own among those of the catalogue. */
export async function allConnectors({ table, space }: Context): Promise<KnownConnector[]> {
  const [catalogue, own, settings] = await Promise.all([
    loadCatalogue(),
    table.query(connectors, { pk: connectorsPartition(space) }),
    table.query(connectorSettings, { pk: settingsPartition(space) }),
  ])
  const byId = new Map(settings.map((one) => [one.connector_id, one]))
  const all = [...catalogue.map((entry) => ofCatalogue(entry, byId.get(entry.provider.id))), ...own.map(ofTenant)]
  return all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

type Entry = { provider: Provider; document: CatalogueDocument }

/** Large, so it is loaded with the first connector of it. */
async function loadCatalogue(): Promise<Entry[]> {
  const [{ CATALOGUE }, { documentOf }] = await Promise.all([
    import('./catalogue/catalogue.ts'),
    import('./catalogue/document.ts'),
  ])
  return CATALOGUE.map((provider) => ({ provider, document: documentOf(provider) }))
}

function ofTenant(own: Stored<Connector>): KnownConnector {
  const { authorization_url = '', token_url = '', revoke_url } = own.auth
  const rules = { authorization_url, token_url, ...(revoke_url !== undefined && { revoke_url }) }
  return {
    ...own,
    own,
    provider: undefined,
    settings: undefined,
    purpose: own.purpose,
    rules: own.auth.type === 'oauth2' ? rules : undefined,
  }
}

function ofCatalogue({ provider, document }: Entry, settings: Stored<Settings> | undefined): KnownConnector {
  const { id, name, category, description, base_url, oauth } = provider
  const { sha256, bytes, operations } = document
  const { authorization_url, token_url, revoke_url } = oauth
  const client_id = settings?.client_id
  const auth: Auth = {
    type: 'oauth2',
    authorization_url,
    token_url,
    ...(revoke_url !== undefined && { revoke_url }),
    ...(client_id !== undefined && { client_id }),
  }
  return {
    id,
    name,
    category,
    description,
    base_url,
    provider,
    settings,
    auth,
    own: undefined,
    rules: oauth,
    openapi: { sha256, bytes },
    actions_count: operations,
    scopes_required: settings?.scopes_required ?? provider.scopes_required,
    purpose: settings?.purpose,
    data_categories: settings?.data_categories ?? [],
    inbound: settings?.inbound ?? [],
    inbound_sealed: settings?.inbound_sealed,
  }
}
