// Whether the OAuth client through which an action was requested may still act. Loaded only for such a request.
import type { Table } from '../../base/table/table.ts'
import { grantNow, makerOf } from '../../identity/access/permissions.ts'
import { connectionEnds } from '../../identity/artefacts/end-grant.ts'
import { findClient } from '../../identity/oauth/clients/client.ts'
import { mayAct } from '../../identity/oauth/clients/may-act.ts'

type Client = { tenant_id: string; client_id: string }

/** Why a client may not act any more. */
export async function endedClient(table: Table, { tenant_id, client_id }: Client): Promise<string | undefined> {
  const client = await findClient(table, client_id)
  const acts =
    client && (await mayAct(table, client, tenant_id)) && grantNow(client, await makerOf(table, client)) !== undefined
  return acts ? undefined : 'the OAuth client that asked for it has no access any more'
}

/** `ended`: why the client may not act any more. `ended_at` (ms): when its access to the account of the person last ended. */
export async function connectionNow(table: Table, of: Client & { user_id: string }) {
  const [ended, last] = await Promise.all([endedClient(table, of), table.get(connectionEnds, of)])
  return { ended, ended_at: last?.at ?? 0 }
}
