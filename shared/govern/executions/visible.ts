// What of an execution is shown. In PII mode `redact` placeholders stand for personal data and secrets wherever somebody
// looks; what runs, what an approval binds and what the evidence commits to stays exact.
import type { Context } from '../../base/context.ts'
import { findPointer, readSettings } from '../governance/read-settings.ts'
import type { GovernanceSettings } from '../governance/settings.ts'
import type { Opened } from './execution-view.ts'

/** `redacted`: something was replaced, so what is shown is not what the evidence commits to. */
export type Visible = Opened & { redacted?: true }

/** Under settings that the caller has read already. */
export async function visibleUnder(
  { pii_mode }: Pick<GovernanceSettings, 'pii_mode'>,
  opened: Opened,
): Promise<Visible> {
  if (pii_mode !== 'redact') return opened
  const { Redactor } = await import('../governance/pii/redact.ts') // few tenants ask for it
  const redactor = new Redactor()
  const { payload, output } = opened
  const shown: Opened = {
    payload: payload && redactor.redactMembers(payload),
    ...(output !== undefined && { output: redactor.redact(output) }),
  }
  return { ...shown, ...(redactor.hasRedacted && { redacted: true as const }) }
}

/** Under the present settings of the tenant. The reads begin at once, so they travel together. */
export async function visibleNow<T extends { opened: Opened }>(ctx: Context, opening: Promise<T>) {
  const [open, pointer] = await Promise.all([opening, findPointer(ctx.table, ctx.space)])
  return { ...open, opened: await visibleUnder(readSettings(pointer), open.opened) }
}
