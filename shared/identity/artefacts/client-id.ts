// The ids of clients: one that is registered, or the address of the document that describes the client.
import { digest } from '../../ledger/events/event.ts'

const URL_MAX = 512

/** Whether an id of a client is the address of its metadata document. Written exactly as it is called: https with a path, and nothing that a URL parser would change or leave out. */
export function isDocumentUrl(client_id: string): boolean {
  const url = client_id.startsWith('https://') && client_id.length <= URL_MAX ? URL.parse(client_id) : null
  return url !== null && url.href === client_id && url.pathname !== '/' && url.hash === '' && url.username === ''
}

/** The id under which a tenant stores a client. A client that a URL names has one in each tenant. */
export const storedId = (client_id: string, tenant_id: string): string =>
  isDocumentUrl(client_id) ? `cli_${digest(`${tenant_id}\n${client_id}`)}` : client_id
