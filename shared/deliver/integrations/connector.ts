// A tenant's own API: its address, how it wants to be called, and what its document offers. Beside it, what a tenant sets about a
// connector of the catalogue.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { entity, spaceKey, type Stored } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import { plainText } from '../../base/wire/fields.ts'

export const AUTH_TYPES = ['none', 'bearer', 'basic', 'api_key', 'oauth2'] as const

/** `header`: which one carries an API key. The other members are those of `oauth2`; the client's secret is sealed beside them. */
export const Auth = z.object({
  type: z
    .enum(AUTH_TYPES)
    .describe('`none`, a bearer token, Basic authentication, an API key in a header, or OAuth 2.0.'),
  header: z.string().optional().describe('The header that the key is sent in.'),
  authorization_url: z.string().optional().describe('Where a person agrees.'),
  token_url: z.string().optional().describe('Where codes and refresh tokens become tokens.'),
  revoke_url: z.string().optional().describe('Where tokens are revoked (RFC 7009).'),
  client_id: z.string().optional().describe('Id of the OAuth client.'),
})
export type Auth = z.output<typeof Auth>

/** A message of the provider whose member `path` (in dots) equals `equals` requests this action. */
export const Inbound = z.strictObject({
  path: z
    .string()
    .regex(/^[\w-]{1,64}(?:\.[\w-]{1,64}){0,7}$/, 'must be a path of members, in dots')
    .describe('The member of the message, with a dot between names.'),
  equals: z.string().max(256).describe('The value of that member.'),
  node_id: z.string().max(128).describe('Id of the node.'),
  action_id: z.string().max(64).describe('Id of the action in its manifest.'),
})
export type Inbound = z.output<typeof Inbound>

/** The document of a connector: its file in the bucket, and the address that it was read from. */
const Document = z.object({
  sha256: z.string().describe('SHA-256 of the file, hex.'),
  bytes: z.int().describe('The length of the document.'),
  url: z.string().optional().describe('Where the document was read.'),
  fetched_at: z.string().optional().describe('When it was read there.'),
})

export const Connector = z.object({
  ...resourceMembers,
  name: z.string(),
  category: z.string(),
  description: z.string().optional(),
  base_url: z.string(),
  auth: Auth,
  /** The client of `oauth2`, sealed with the addresses that its secret is for. */
  client: z.string().optional(),
  scopes_required: z.array(z.string()).default([]),
  openapi: Document,
  actions_count: z.int(),
  purpose: z.string().optional(),
  data_categories: z.array(z.string()),
  inbound: z.array(Inbound).default([]),
  /** Who wrote the rules of `inbound`, sealed with them. See inbound-rules.ts. */
  inbound_sealed: z.string().optional(),
  created_at: z.string(),
  created_by: z.object({ type: z.string(), id: z.string() }),
})
export type Connector = z.output<typeof Connector>

export const connectorsPartition = (space: Space): string => spaceKey(space, 'CONNECTOR')

export const connectors = entity({
  name: 'CONNECTOR',
  unbound: 'proven by itself',
  schema: Connector,
  key: (of: Space & { id: string }) => ({ pk: connectorsPartition(of), sk: of.id }),
})

export const findOwn = ({ table, space }: Context, id: string): Promise<Stored<Connector> | undefined> =>
  table.get(connectors, { ...space, id })

/** What a tenant sets about a connector of the catalogue. */
export const Settings = z.object({
  ...spaceMembers,
  connector_id: z.string(),
  client_id: z.string().optional(),
  /** The tenant's own client, sealed. It wins over the operator's. */
  client: z.string().optional(),
  scopes_required: z.array(z.string()).optional(),
  purpose: z.string().optional(),
  data_categories: z.array(z.string()).optional(),
  inbound: z.array(Inbound).optional(),
  inbound_sealed: z.string().optional(),
})
export type Settings = z.output<typeof Settings>

export const settingsPartition = (space: Space): string => spaceKey(space, 'CONNECTOR_SETTINGS')

export const connectorSettings = entity({
  name: 'CONNECTOR_SETTINGS',
  unbound: 'proven by itself',
  schema: Settings,
  key: (of: Space & { connector_id: string }) => ({ pk: settingsPartition(of), sk: of.connector_id }),
})

/** Why a tool is connected, for the record of processing activities. */
export const purpose = plainText(500)
/** Which kinds of data the tool holds, for the same record. */
export const categories = z.array(plainText(64)).max(20)
