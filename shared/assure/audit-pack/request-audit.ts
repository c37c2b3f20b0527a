// Requests the export of one framework: an archive, which is made in the background, or one document at once.
import { DAY_MS } from '../../base/lib/durations.ts'
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { optional } from '../../base/wire/fields.ts'
import { requestRun } from '../checks/request-run.ts'
import type { AuditAsk } from '../exports/export.ts'
import { type ExportView, requestExport } from '../exports/request.ts'
import { type Window, WINDOW_DAYS, windowOf } from '../exports/window.ts'
import { type FrameworkState, isEnabled, readState } from '../frameworks/state.ts'
import { isFresh } from './stage.ts'
import { notEnabled } from './standing.ts'

export const AUDIT_FORMATS = ['zip', 'json', 'csv', 'oscal'] as const

const Instant = z.iso.datetime({ offset: true })

export const AuditBody = z
  .strictObject({
    format: optional(z.enum(AUDIT_FORMATS)).describe(
      '`zip`: the archive, made in the background. `json`, `csv`, `oscal`: the controls as one document, at once.',
    ),
    start_at: optional(Instant).describe('The beginning of the window.'),
    end_at: optional(Instant).describe('The end of the window, exclusive.'),
    window_days: optional(z.int().min(1).max(WINDOW_DAYS.max)).describe(
      'How many days back from now the window reaches; by default those of the framework. Only without times.',
    ),
    include_chain: optional(z.boolean()).describe(
      'Whether the archive holds the evidence chain of the window. Without it nothing can be compared by others.',
    ),
    include_files: optional(z.boolean()).describe('Whether the archive holds the files of submitted evidence.'),
    sample: optional(
      z.strictObject({
        size: optional(z.int().min(1).max(500)).describe('How many rows of each population.'),
        seed: optional(z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex digits')).describe(
          'Decides which rows, as 64 hex digits of your choice; by default the newest link of the evidence chain.',
        ),
      }),
    ).describe('How samples of the populations are drawn.'),
  })
  .refine(({ start_at, end_at }) => start_at !== undefined || end_at === undefined, {
    path: ['start_at'],
    error: 'is needed with end_at',
  })
  .refine(({ start_at, end_at }) => !start_at || !end_at || Date.parse(start_at) < Date.parse(end_at), {
    path: ['end_at'],
    error: 'must be after start_at',
  })
export type AuditBody = z.output<typeof AuditBody>

const SAMPLE_SIZE = 25

/** The archive. Throws 404 for an unknown framework, 409 for one that is not enabled. */
export async function requestAudit(ctx: Context, framework: string, body: AuditBody): Promise<ExportView> {
  const state = await readState(ctx, framework)
  const { include_chain = true, include_files = true, sample: { size = SAMPLE_SIZE, seed } = {} } = body
  const ask: AuditAsk = {
    type: 'compliance',
    framework_id: state.framework_id,
    ...auditWindow(body, state),
    include_chain,
    include_files,
    sample: { size, ...(seed !== undefined && { seed }) },
  }
  const isNew = !isFresh(state.standing?.last_run, ctx.now())
  return requestExport(ctx, ask, async (export_id) =>
    isNew ? requestRun(ctx, { trigger: 'export', scope: 'full', export_id }) : undefined,
  )
}

/** Nothing can be shown of what has not happened yet. */
export function auditWindow(
  body: Pick<AuditBody, 'start_at' | 'end_at' | 'window_days'>,
  state: FrameworkState,
): Window {
  const { setting, now } = state
  if (!isEnabled(state) || !setting) throw notEnabled()
  const { start_at, end_at, window_days = setting.window_days } = body
  if (start_at !== undefined && Date.parse(start_at) >= now) throw refused('start_at', 'must be in the past')
  const until = end_at === undefined ? undefined : new Date(Math.min(now, Date.parse(end_at))).toISOString()
  const window = windowOf({ start_at, end_at: until, window_days }, now)
  const days = (Date.parse(window.end_at) - Date.parse(window.start_at)) / DAY_MS
  if (days > WINDOW_DAYS.max) throw refused('start_at', `must be at most ${WINDOW_DAYS.max} days before the end`)
  return window
}

const refused = (name: string, msg: string) =>
  new Failure('invalid', [{ loc: ['body', name], msg, type: 'value_error' }])
