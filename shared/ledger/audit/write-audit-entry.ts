// Audit log entries without a change of rights or settings.
import type { Context } from '../../base/context.ts'
import { warn } from '../../base/lib/log.ts'
import { auditEntries, type EntryFacts, newEntry } from './entry.ts'

type Facts = Pick<EntryFacts, 'action' | 'outcome' | 'reason' | 'subject' | 'country'>

/**
 * Writes an entry for a refusal or a read of the log. A failed write must not change the answer, so it is only logged. It is
 * an update, because functions that only read have that right here.
 */
export async function writeAuditEntry(ctx: Context, of: Facts): Promise<void> {
  try {
    const item = newEntry(ctx, of)
    const set = { ...item, ...auditEntries.index?.(item), _type: auditEntries.name, _v: 1 }
    await ctx.table.update(auditEntries.key(item), { set })
  } catch (error) {
    warn('audit_entry_lost', error, { action: of.action, ...ctx.request })
  }
}
