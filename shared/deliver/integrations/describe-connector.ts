// Why a tool is connected and what it holds, where that is said with its connection: for the commit that begins it.
import type { Change } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { conflict } from '../../base/lib/failure.ts'
import { given } from '../../base/lib/json.ts'
import type { Write } from '../../base/table/entity.ts'
import { connectors } from './connector.ts'
import type { KnownConnector } from './known-connector.ts'
import { connectorSettings } from './settings.ts'

type Said = { purpose?: string | undefined; data_categories?: string[] | undefined }

const LOST = conflict('Another request has changed this connector. Read it again, then repeat your change.')

export function descriptionOf(
  { space }: Context,
  connector: KnownConnector,
  said: Said,
): { writes: Write[]; changes: Change[] } {
  const { id, name, own, settings } = connector
  const fields = given({ purpose: said.purpose, data_categories: said.data_categories })
  if (Object.keys(fields).length === 0) return { writes: [], changes: [] }
  const next = { ...(settings ?? { ...space, connector_id: id }), ...fields }
  const write = own
    ? connectors.replace({ ...own, ...fields }, own, LOST)
    : settings
      ? connectorSettings.replace(next, settings, LOST)
      : connectorSettings.insert(next, LOST)
  const change: Change = {
    action: 'connector.updated',
    artifact: 'integration.connector.updated',
    subject: { type: 'connector', id, name },
    data: { changed_fields: Object.keys(fields) },
  }
  return { writes: [write], changes: [change] }
}
