import * as z from 'zod'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { warn } from '../../base/lib/log.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { optional } from '../../base/wire/fields.ts'
import { enqueueLearning } from '../queue.ts'
import { beginRun, isOpenRun, pipelineHeads, type PipelineRun, pipelineRuns, STAGES } from './run.ts'

export const StartBody = z.strictObject({
  /** All without it. */
  stages: optional(
    z
      .array(z.enum(STAGES))
      .min(1)
      .max(STAGES.length)
      .refine((names) => new Set(names).size === names.length, 'must name each stage once')
      .meta({ uniqueItems: true }),
  ).describe('The stages to run. Without them: all.'),
  dry_run: optional(z.boolean()).describe('Whether only to count what would be done.'),
})

/** How long the first message may take to start it. */
const FIRST_TRY_MS = 60_000

/**
 * Stores the run as queued and sends the message that begins it; the sweeper sends a lost one again. Throws 409 while another run
 * is open, also to the second of two callers at once. Whether the caller may copy payloads is read from the credential, and the
 * artifact of the request names the people behind it.
 */
export async function startRun(ctx: Context, body: z.output<typeof StartBody>): Promise<PipelineRun> {
  const run = await retryWhenChanged(() => request(ctx, body))
  // The sweeper sends a lost message again.
  await enqueueLearning(ctx.space, run.id).catch((error: unknown) => warn('run_not_enqueued', error, { run: run.id }))
  return run
}

async function request(ctx: Context, { stages = [...STAGES], dry_run = false }: z.output<typeof StartBody>) {
  const { table, space, principal } = ctx
  const head = await table.get(pipelineHeads, space)
  const open = head?.open && (await table.get(pipelineRuns, { ...space, id: head.open }))
  if (open && isOpenRun(open)) throw conflict(`The run ${open.id} is open. Wait until it has ended.`)
  const now = ctx.now()
  const nothing = { status: 'waiting' as const, started_at: null, finished_at: null, output: null, error: null }
  const draft: PipelineRun = {
    ...space,
    id: ctx.id('plr'),
    trigger: 'manual',
    status: 'queued',
    stages: STAGES.filter((name) => stages.includes(name)).map((name) => ({ name, ...nothing })),
    dry_run,
    requested_by: { type: principal.kind, id: principal.id },
    may_copy: principal.permissions.has('evidence:read'),
    created_at: iso(now),
    updated_at: iso(now),
    request_artifact_id: ctx.id('art'),
    attempt: 0,
    due_at: iso(now + FIRST_TRY_MS),
  }
  const { item: run, write, transition } = beginRun(ctx, draft, principal.persons)
  const next = { ...space, open: run.id }
  await table.commit(
    [
      head
        ? pipelineHeads.replace(next, head, new ChangedMeanwhile())
        : pipelineHeads.insert(next, new ChangedMeanwhile()),
      write,
      ...commitWith(ctx, [transition]),
    ],
    run.id,
  )
  return run
}
