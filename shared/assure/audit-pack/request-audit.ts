// Requests the archive for the audit of one framework, which is made in the background, and says what the archive waits for: a
// run of all checks that is newer than the request; a checkpoint that covers the request; and one that covers the announcement
// of its manifest.
import { DAY_MS } from '../../base/lib/clock.ts'
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { optional } from '../../base/wire/fields.ts'
import { requestRun } from '../checks/request-run.ts'
import { askOf, type AuditAsk, type Export } from '../exports/export.ts'
import { type ExportView, requestExport } from '../exports/request.ts'
import { type Window, WINDOW_DAYS, windowOf } from '../exports/window.ts'
import { type FrameworkState, isEnabled, readState } from '../frameworks/state.ts'
import { notEnabled } from './control-rows.ts'
import { isSigned, type Stage } from '../exports/pack/stage.ts'

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

/**
 * Stores the request and its evidence, in one commit with a full run of the checks unless one has just ended; a worker makes the
 * archive. Throws 404 for an unknown framework, 409 for one that is not enabled, and 422 for a window that begins in the future or
 * is too long. Two requests make two archives.
 */
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

/** The period of an archive. It ends now at the latest, because nothing can be shown of the future. */
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

/** A run that ended at most this long before the request is as good as one after it. */
export const FRESH_MS = 10 * 60_000
/** After this time the archive shows the results of the last run, and the chain as far as it exists by then. */
const PATIENCE_MS = 10 * 60_000
/** After this time it is made without the proofs. */
const PROOF_MS = 2 * 60_000

export async function auditStage(ctx: Context, item: Export): Promise<Stage> {
  const { artifact, draft, requested_at } = item
  const now = ctx.now()
  if (draft) {
    if (await isSigned(ctx, draft.artifact_id)) return 'seal'
    return now < draft.at + PROOF_MS ? 'waits' : 'unsealed'
  }
  const requested = Date.parse(requested_at)
  if (now >= requested + PATIENCE_MS) return 'announce'
  const ready = (await hasFreshRun(ctx, item, requested)) && (await isSigned(ctx, artifact.id))
  return ready ? 'announce' : 'waits'
}

async function hasFreshRun(ctx: Context, item: Export, requested: number): Promise<boolean> {
  const { standing } = await readState(ctx, askOf(item, 'compliance').framework_id)
  return isFresh(standing?.last_run, requested)
}

/** `requested` in ms. */
const isFresh = (run: { ended_at: string } | undefined, requested: number): boolean =>
  run !== undefined && Date.parse(run.ended_at) >= requested - FRESH_MS
