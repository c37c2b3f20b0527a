// The small forms of the export: one document of how a framework stands, at once.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { iso } from '../../base/lib/clock.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import { type HttpResponse, httpResponse } from '../../base/wire/call.ts'
import { catalogueHash } from '../catalogue/catalogue.ts'
import { CHECK_STATUSES } from '../checks/check.ts'
import { recordShared } from '../exports/record-shared.ts'
import { ControlView } from '../frameworks/control-view.ts'
import { FrameworkPosture, NOTICE } from '../frameworks/posture-view.ts'
import { readState } from '../frameworks/state.ts'
import { resultOf } from './check-rows.ts'
import { CONTROL_COLUMNS, controlRow } from './control-rows.ts'
import { csvDocument } from './csv.ts'
import { oscalOf } from './oscal-of.ts'
import type { Window } from '../exports/window.ts'
import { type AuditBody, auditWindow } from './request-audit.ts'
import { frameworkStanding, type FrameworkStanding } from './standing.ts'

const CheckView = z.object({
  check_id: z.string(),
  version: z.int(),
  title: z.string(),
  severity: z.string(),
  status: z.enum(CHECK_STATUSES),
  detail: z.string(),
  numerator: z.int().nullable(),
  denominator: z.int().nullable(),
  failing_ids: z.array(z.string()),
  failing_count: z.int(),
  evaluated_at: z.string().nullable(),
  control_ids: z.array(z.string()),
  passes_when: z.string(),
})

export const AuditDocument = z.object({
  framework: z.object({ id: z.string(), name: z.string(), version: z.string() }),
  catalogue_hash: z.string(),
  scope: z.record(z.string(), z.boolean()),
  window: z.object({ start_at: z.string(), end_at: z.string() }),
  as_of: z.string().nullable(),
  generated_at: z.string(),
  notice: z.string(),
  posture: FrameworkPosture,
  controls: z.array(ControlView),
  checks: z.array(CheckView),
})

/** An OSCAL document, which its own schema describes. */
export const OscalDocument = z.object({ 'assessment-results': z.record(z.string(), z.unknown()) })

type Asked = AuditBody & { format: 'json' | 'csv' | 'oscal' }

/** Throws 404 for an unknown framework, 409 for one that is not enabled. Leaves evidence of what was given out. */
export async function auditDocument(ctx: Context, id: string, { format, ...body }: Asked): Promise<HttpResponse> {
  const window = auditWindow(body, await readState(ctx, id))
  const standing = await frameworkStanding(ctx, id, window)
  const facts = { window, as_of: standing.last_run?.ended_at ?? null, generated_at: iso(ctx.now()) }
  const export_id = ctx.id('exp')
  const content = contentOf(format, { export_id, standing, facts })
  const sha256 = sha256Hex(typeof content === 'string' ? content : canonicalJson(content))
  const shared = { export: 'compliance', framework_id: id, format, ...window, sha256 }
  await recordShared(ctx, export_id, 'compliance_export', shared)
  return typeof content === 'string'
    ? httpResponse(200, content, { 'Content-Type': 'text/csv; charset=utf-8; header=present' })
    : httpResponse(200, content)
}

type Facts = { window: Window; as_of: string | null; generated_at: string }
type Shown = { export_id: string; standing: FrameworkStanding; facts: Facts }

function contentOf(format: Asked['format'], { export_id, standing, facts }: Shown): string | object {
  const { framework, controls, posture, scope, lines } = standing
  if (format === 'oscal') return oscalOf(export_id, standing, facts)
  if (format === 'csv') {
    // The archive says it in a file beside; here no other place would travel with the rows.
    const rows = controls.map((control) => ({ ...controlRow(framework.id, control, facts.window), notice: NOTICE }))
    return csvDocument([...CONTROL_COLUMNS, 'notice'], rows).join('')
  }
  const checks = lines.map((line) => resultOf(framework.id, line))
  return { framework, catalogue_hash: catalogueHash(), scope, ...facts, notice: NOTICE, posture, controls, checks }
}
