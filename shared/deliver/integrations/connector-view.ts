// A connector as people see it.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { type NodeHead, nodeHeads, nodesPartition } from '../../govern/manifests/node.ts'
import {
  Account,
  type Connection,
  CONNECTOR_STATUSES,
  connections,
  connectionsPartition,
  statusOf,
} from './connection.ts'
import { Connector } from './connector.ts'
import { allConnectors, findConnector, type KnownConnector } from './known-connector.ts'
import { nodeIdOf } from './openapi/names.ts'
import { ImportReport } from './openapi/report.ts'

const { name, category, description, base_url, auth, openapi, actions_count, inbound, purpose, data_categories } =
  Connector.shape

export const ConnectorView = z.object({
  id: z.string().describe('The id, which never changes.'),
  name: name.describe('A name for people.'),
  category: category.describe('The category of the item.'),
  description: description.describe('A description for people.'),
  base_url: base_url.describe('The address of the API; every call is below it.'),
  auth: auth.describe('How the API wants to be authenticated.'),
  openapi: openapi.describe('The OpenAPI document of the API.'),
  actions_count: actions_count.describe('How many operations of the document can be published.'),
  purpose: purpose.describe('What the connection is for.'),
  data_categories: data_categories.describe('What kinds of data the API holds.'),
  inbound: inbound.describe('What messages of the provider request: the first rule that fits.'),
  own: z.boolean().describe('Whether the tenant has added it.'),
  /** What auth/start wants to know of the account. */
  params: z
    .array(
      z.object({
        name: z.string().describe('The name of the parameter.'),
        pattern: z.string().describe('A regular expression that the value matches.'),
        description: z.string().describe('A description for people.'),
      }),
    )
    .describe('What is asked of the account before a person is sent to the provider.'),
  models: z.array(z.string()).describe('What can be synchronised.'),
  scopes_required: z.array(z.string()).describe('The OAuth scopes that are asked for.'),
  scopes_optional: z.array(z.string()).describe('Further scopes that may be asked for.'),
  status: z.enum(CONNECTOR_STATUSES).describe('The current state.'),
  connection: z
    .object({
      id: z.string().describe('The id, which never changes.'),
      connected_at: z.string().describe('When it was connected.'),
      connected_by: z
        .object({
          type: z.string().describe('Whether a person, a key or a client connected it.'),
          id: z.string().describe('The id, which never changes.'),
        })
        .describe('Id of the person who made the connection.'),
      account: Account.optional().describe('The account at the provider; null where it does not tell.'),
      scopes_granted: z.array(z.string()).describe('Scopes that the provider granted.'),
    })
    .nullable()
    .describe('The connection; null while there is none.'),
  published: z
    .array(
      z.object({
        node_id: z.string().describe('Id of the node.'),
        version: z.string().describe('Version of the manifest.'),
      }),
    )
    .describe('The nodes that its operations were published as.'),
})
export type ConnectorView = z.input<typeof ConnectorView>

export const ImportedView = ConnectorView.extend({
  report: ImportReport.optional().describe('What became of the document that was given; absent where none was.'),
})

type Around = { connection: Connection | undefined; heads: readonly NodeHead[]; now: number }

export function connectorView(connector: KnownConnector, { connection, heads, now }: Around): ConnectorView {
  const { provider, own, scopes_required, data_categories: categories, ...rest } = connector
  const status = statusOf(connection, now)
  return {
    ...rest,
    own: own !== undefined,
    data_categories: [...categories],
    params: (provider?.params ?? []).map((param) => ({ ...param, pattern: param.pattern.source })),
    models: (provider?.models ?? []).map((model) => model.name),
    scopes_required: [...scopes_required],
    scopes_optional: [...(provider?.scopes_optional ?? [])],
    status,
    connection: (status === 'active' || status === 'needs_reauth') && connection ? shown(connection) : null,
    published: heads.map(({ node_id, latest: version }) => ({ node_id, version })),
  }
}

const shown = ({ id, connected_at = '', connected_by, account, scopes_granted }: Connection) => ({
  id,
  connected_at,
  connected_by: connected_by ?? { type: 'system', id: 'system' },
  ...(account && { account }),
  scopes_granted,
})

/** Nodes of a connector: `integration.<id>.<group>`. */
const prefixOf = (id: string): string => nodeIdOf(id, '')

export async function readConnector(ctx: Context, id: string): Promise<ConnectorView> {
  const { table, space } = ctx
  const [connector, connection, heads] = await Promise.all([
    findConnector(ctx, id),
    table.get(connections, { ...space, connector_id: id }),
    table.query(nodeHeads, { pk: nodesPartition(space), prefix: prefixOf(id) }),
  ])
  return connectorView(connector, { connection, heads, now: ctx.now() })
}

export type ConnectorFilter = { status?: string | undefined; category?: string | undefined; q?: string | undefined }

/** By their ids. `q`: in the id, the name or the description. */
export async function listConnectors(ctx: Context, { status, category: of, q }: ConnectorFilter) {
  const { table, space } = ctx
  const [all, connected, nodes] = await Promise.all([
    allConnectors(ctx),
    table.query(connections, { pk: connectionsPartition(space) }),
    table.query(nodeHeads, { pk: nodesPartition(space), prefix: prefixOf('').replace(/\.$/, '') }),
  ])
  const byConnector = new Map(connected.map((one) => [one.connector_id, one]))
  const needle = q?.toLowerCase()
  return all
    .map((connector) =>
      connectorView(connector, {
        connection: byConnector.get(connector.id),
        heads: nodes.filter(({ node_id }) => node_id.startsWith(prefixOf(connector.id))),
        now: ctx.now(),
      }),
    )
    .filter((view) => (status === undefined || view.status === status) && (of === undefined || view.category === of))
    .filter(
      (view) =>
        needle === undefined ||
        [view.id, view.name, view.description ?? ''].some((text) => text.toLowerCase().includes(needle)),
    )
}
