// Where a tenant has personal data replaced or refused, what people write is stored with placeholders: nobody would look for
// it there when it has to be found.
import type { Context } from '../../../base/context.ts'
import type { Json } from '../../../base/lib/json.ts'
import { findPointer, type GovernanceSettings, readSettings } from '../settings.ts'

type Texts = Record<string, Json | undefined>

/** The same texts, as they may be stored. The settings are read only where a text is given. */
export async function storedTexts<T extends Texts>(ctx: Context, texts: T): Promise<T> {
  if (Object.values(texts).every((text) => text === undefined)) return texts
  return storedTextsUnder(readSettings(await findPointer(ctx.table, ctx.space)), texts)
}

/** Under settings that were already read. */
export async function storedTextsUnder<T extends Texts>(
  { pii_mode }: Pick<GovernanceSettings, 'pii_mode'>,
  texts: T,
): Promise<T> {
  if (pii_mode !== 'redact' && pii_mode !== 'block') return texts
  const { Redactor } = await import('./redact.ts') // few tenants ask for it
  const redactor = new Redactor()
  const members = Object.entries(texts).map(([name, text]) => [name, text && redactor.redact(text)])
  return Object.fromEntries(members) as T // a copy of the same shape
}
