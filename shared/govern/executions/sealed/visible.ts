// The payload and output that the API shows. In PII mode `redact`, placeholders replace personal data and secrets in every
// view. The bytes that run, that an approval binds and to which the evidence commits stay exact.
import type { Context } from '../../../base/context.ts'
import { findPointer, type GovernanceSettings, readSettings } from '../../governance/settings.ts'
import type { Opened } from '../execution-view.ts'

/** `redacted`: something was replaced, so the visible payload is not the one that the evidence commits to. */
export type Visible = Opened & { redacted?: true }

/** Under settings that were already read. */
export async function visibleUnder(
  { pii_mode }: Pick<GovernanceSettings, 'pii_mode'>,
  opened: Opened,
): Promise<Visible> {
  if (pii_mode !== 'redact') return opened
  const { Redactor } = await import('../../governance/pii/redact.ts') // loaded here, because few tenants use this mode
  const redactor = new Redactor()
  const { payload, output, note } = opened
  const visible: Opened = {
    payload: payload && redactor.redactMembers(payload),
    ...(output !== undefined && { output: redactor.redact(output) }),
    ...(note !== undefined && { note: redactor.redact(note) as string }),
  }
  return { ...visible, ...(redactor.hasRedacted && { redacted: true as const }) }
}

/** Under the present settings of the tenant. Both reads start at once and make one round trip. */
export async function visibleNow<T extends { opened: Opened }>(ctx: Context, opening: Promise<T>) {
  const [open, pointer] = await Promise.all([opening, findPointer(ctx.table, ctx.space)])
  return { ...open, opened: await visibleUnder(readSettings(pointer), open.opened) }
}
