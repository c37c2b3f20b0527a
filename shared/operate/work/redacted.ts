// Where a tenant has personal data replaced or refused, what people write about work is stored with placeholders: nobody
// would look for it there when it has to be found.
import type { Context } from '../../base/context.ts'
import type { Json } from '../../base/lib/canonical-json.ts'
import { findPointer, readSettings } from '../../govern/governance/read-settings.ts'

/** The same texts, as they may be stored. */
export async function redacted<T extends object>(ctx: Context, texts: T): Promise<T> {
  const { pii_mode } = readSettings(await findPointer(ctx.table, ctx.space))
  if (pii_mode !== 'redact' && pii_mode !== 'block') return texts
  const { Redactor } = await import('../../govern/governance/pii/redact.ts') // few tenants ask for it
  const redactor = new Redactor()
  const members = Object.entries(texts).map(([name, text]: [string, Json | undefined]) => [
    name,
    text === undefined ? undefined : redactor.redact(text),
  ])
  return Object.fromEntries(members) as T // a copy of the same shape
}
