import type { FactAsk, RequiredFacts } from '../../base/ports/facts.ts'
import { findPointer, readSettings } from '../governance/settings.ts'

export async function governance({ ctx }: FactAsk): Promise<RequiredFacts['governance']> {
  const { pii_mode } = readSettings(await findPointer(ctx.table, ctx.space))
  return { pii_mode }
}
