// Ends tenants within a running stack, as if they had never been: the work of a later test is not done for them as well.
import type { DatabaseSync } from 'node:sqlite'
import type { Item } from './expressions.ts'
import type { MemoryTable } from './memory-table.ts'

/** Removes what a tenant stored, the records of it that no worker has read, and the messages that name it. Work that was due is gone with its items. */
export function endTenants(ids: readonly string[], from: { table: MemoryTable; queues: DatabaseSync }): void {
  if (ids.length === 0) return
  const ended = new Set(ids)
  from.table.forget((item) => ended.has(ownerOf(item)))
  const erase = from.queues.prepare('DELETE FROM sqs_messages WHERE instr(body, ?) > 0')
  for (const id of ids) erase.run(id)
}

/** Most items have the tenant in their key; sessions, credentials and the like name it in a member. */
function ownerOf({ pk, tenant_id }: Item): string {
  const [kind, id = ''] = (pk?.S ?? '').split('#', 2)
  return kind === 'T' ? id : (tenant_id?.S ?? '')
}
