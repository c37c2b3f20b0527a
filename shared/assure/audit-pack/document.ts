// The small forms of the export: the status of a framework as one document, returned at once.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import { iso } from '../../base/lib/clock.ts'
import { type HttpResponse, httpResponse } from '../../base/wire/call.ts'
import { BOM, csvHeaders } from '../../base/wire/download.ts'
import { catalogueHash } from '../catalogue/catalogue.ts'
import { CHECK_STATUSES } from '../checks/check.ts'
import { recordShared } from '../exports/export.ts'
import { ControlView, FrameworkPosture, NOTICE } from '../frameworks/control-view.ts'
import { readState } from '../frameworks/state.ts'
import { resultOf } from './check-rows.ts'
import { CONTROL_COLUMNS, controlRow, frameworkStatus, type FrameworkStatus } from './control-rows.ts'
import { csvDocument } from './archive.ts'
import { oscalOf } from './oscal.ts'
import type { Window } from '../exports/window.ts'
import { type AuditBody, auditWindow } from './request-audit.ts'

const CheckView = z.object({
  check_id: z.string().describe('Id of the check.'),
  version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
  title: z.string().describe('What holds when the check passes.'),
  severity: z.string().describe('The severity.'),
  status: z.enum(CHECK_STATUSES).describe('The current state.'),
  detail: z.string().describe('What was looked at and what was found.'),
  numerator: z.int().nullable().describe('How many of what was looked at hold.'),
  denominator: z.int().nullable().describe('How many were looked at.'),
  failing_ids: z.array(z.string()).describe('Ids of the items that fail the check.'),
  failing_count: z.int().describe('The number of items that fail the check.'),
  evaluated_at: z.string().nullable().describe('When the check was last carried out.'),
  control_ids: z.array(z.string()).describe('The controls that the check belongs to.'),
  passes_when: z.string().describe('What must hold for the check to pass.'),
})

export const AuditDocument = z.object({
  framework: z
    .object({
      id: z.string().describe('The id, which never changes.'),
      name: z.string().describe('A name for people.'),
      version: z
        .string()
        .describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
    })
    .describe('The framework.'),
  catalogue_hash: z.string().describe('SHA-256 of the catalogue of controls and checks.'),
  scope: z.record(z.string(), z.boolean()).describe('Which parts of the framework apply.'),
  window: z
    .object({
      start_at: z.string().describe('The beginning of the window.'),
      end_at: z.string().describe('The end of the window, exclusive.'),
    })
    .describe('The window that was counted.'),
  as_of: z.string().nullable().describe('Everything before this time is counted.'),
  generated_at: z.string().describe('When it was generated.'),
  notice: z.string().describe('What the statuses do not say.'),
  posture: FrameworkPosture.describe('How the framework stands.'),
  controls: z.array(ControlView).describe('Every control, in or out of scope.'),
  checks: z.array(CheckView).describe('What each check found last.'),
})

/** An OSCAL document, which its own schema describes. */
export const OscalDocument = z.object({
  'assessment-results': z.record(z.string(), z.unknown()).describe('The assessment, as OSCAL 1.2.1 describes it.'),
})

type Asked = AuditBody & { format: 'json' | 'csv' | 'oscal'; bom: boolean }

/** Throws 404 for an unknown framework, 409 for one that is not enabled. Leaves evidence that names the shared document. */
export async function auditDocument(ctx: Context, id: string, { format, bom, ...body }: Asked): Promise<HttpResponse> {
  const window = auditWindow(body, await readState(ctx, id))
  const standing = await frameworkStatus(ctx, id, window)
  const facts = { window, as_of: standing.last_run?.ended_at ?? null, generated_at: iso(ctx.now()) }
  const export_id = ctx.id('exp')
  const content = contentOf({ format, bom }, { export_id, standing, facts })
  const sha256 = sha256Hex(typeof content === 'string' ? content : canonicalJson(content))
  const shared = { export: 'compliance', framework_id: id, format, ...window, sha256 }
  await recordShared(ctx, export_id, 'compliance_export', shared)
  return typeof content === 'string'
    ? httpResponse(200, content, csvHeaders(`${id}-controls.csv`))
    : httpResponse(200, content)
}

type Facts = { window: Window; as_of: string | null; generated_at: string }
type Shown = { export_id: string; standing: FrameworkStatus; facts: Facts }

function contentOf(
  { format, bom }: Pick<Asked, 'format' | 'bom'>,
  { export_id, standing, facts }: Shown,
): string | object {
  const { framework, controls, posture, scope, lines } = standing
  if (format === 'oscal') return oscalOf(export_id, standing, facts)
  if (format === 'csv') {
    // The archive says it in a file beside; here no other place would travel with the rows.
    const rows = controls.map((control) => ({ ...controlRow(framework.id, control, facts.window), notice: NOTICE }))
    return [bom ? BOM : '', ...csvDocument([...CONTROL_COLUMNS, 'notice'], rows)].join('')
  }
  const checks = lines.map((line) => resultOf(framework.id, line))
  return { framework, catalogue_hash: catalogueHash(), scope, ...facts, notice: NOTICE, posture, controls, checks }
}
