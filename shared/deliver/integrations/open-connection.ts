// A connection as running an action needs it.
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { newArtifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import type { OpenConnection, OpenConnections } from '../../base/ports/open-connections.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { connections } from './connection.ts'
import { type Auth, connectors } from './connector.ts'
import { type Credentials, headersOf } from './credentials.ts'
import { sealedCredential } from './sealed-credential.ts'

type Sealed = { base_url: string; auth: Auth; credentials: Credentials }

export const openConnection: OpenConnections = async (ctx, connector_id): Promise<OpenConnection | undefined> => {
  const [connector, connection] = await Promise.all([
    ctx.table.get(connectors, { ...ctx.space, id: connector_id }),
    ctx.table.get(connections, { ...ctx.space, connector_id }),
  ])
  if (!connector || connection?.status !== 'active') return undefined
  const text = await sealedCredential.open(ctx.space, connections.key(connection), connection.sealed)
  const { base_url, auth, credentials }: Sealed = JSON.parse(text)
  // The address in the table may have been rewritten: the credential goes where it was given for, or nowhere.
  if (canonicalJson({ base_url, auth }) !== canonicalJson({ base_url: connector.base_url, auth: connector.auth }))
    return undefined
  return {
    base_url,
    headers: headersOf(auth, credentials),
    isError: () => false,
    renewed: async () => undefined,
    refused: async () => {
      const [artifact] = newArtifacts(ctx, {
        type: 'integration.connection.needs_reauth',
        subject: { type: 'connection', id: connection.id },
        data: { connector_id },
      })
      if (!artifact) return
      const next = { ...connection, status: 'needs_reauth' as const }
      const writes = [connections.replace(next, connection), ...recorded(ctx, [{ artifact }])]
      await ctx.table.commit(writes, connection.id).catch((error: unknown) => {
        if (!(error instanceof ConditionFailed)) throw error // another call was refused, too, or people connected again
      })
    },
  }
}
