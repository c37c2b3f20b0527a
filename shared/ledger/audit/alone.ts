// Entries of the audit log that come with no change.
import type { Context } from '../../base/context.ts'
import { warn } from '../../base/lib/log.ts'
import { auditEntries } from './entry.ts'
import { type EntryFacts, newEntry } from './new-entry.ts'

type Alone = Pick<EntryFacts, 'action' | 'outcome' | 'reason' | 'subject' | 'country'>

/**
 * An entry that no change carries: a refusal, or that the log was read. Losing it must not change the answer. Written as
 * an update, which functions that only read may do here.
 */
export async function auditAlone(ctx: Context, of: Alone): Promise<void> {
  try {
    const item = newEntry(ctx, of)
    const set = { ...item, ...auditEntries.index?.(item), _type: auditEntries.name, _v: 1 }
    await ctx.table.update(auditEntries.key(item), { set })
  } catch (error) {
    warn('audit_entry_lost', error, { action: of.action, ...ctx.request })
  }
}
