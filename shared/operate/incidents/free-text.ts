// What people write about an incident. Where the tenant's governance redacts or blocks personal data, it is stored redacted.
import type { Context } from '../../base/context.ts'
import { findPointer, readSettings } from '../../govern/governance/read-settings.ts'

/** The same members; those that are absent stay absent. */
export async function stored<T extends Record<string, string | undefined>>(ctx: Context, texts: T): Promise<T> {
  if (Object.values(texts).every((text) => text === undefined)) return texts
  const { pii_mode } = readSettings(await findPointer(ctx.table, ctx.space))
  if (pii_mode !== 'redact' && pii_mode !== 'block') return texts
  const { Redactor } = await import('../../govern/governance/pii/redact.ts') // few tenants ask for it
  const redactor = new Redactor()
  const redacted = Object.entries(texts).map(([name, text]) => [name, text && redactor.redact(text)])
  return Object.fromEntries(redacted) as T
}
