import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { given } from '../../base/lib/json.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import { retryWhenOvertaken, Overtaken } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { stillThere, type Worker, workers } from '../../govern/tasks/worker.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { change } from './register-worker.ts'
import type { WorkerPatch } from './worker-fields.ts'

const CHANGEABLE = ['name', 'status', 'skills', 'capacity', 'max_tier'] as const

/** What a worker has already stays with them. Throws 409 for one whose account or key has ended and who is to be active. */
export const changeWorker = (ctx: Context, id: string, patch: WorkerPatch): Promise<Stored<Worker>> =>
  retryWhenOvertaken(async () => {
    const was = await ctx.table.get(workers, { ...ctx.space, id })
    if (!was) throw notFound('worker')
    const { version, ...fields } = patch
    mustBeCurrent(version, was._v)
    const next: Worker = { ...was, ...given(fields), updated_at: iso(ctx.now()) }
    const stays = fields.status === 'active' ? await stillThere(ctx, was) : []
    if (!stays) throw conflict('The account or key of this worker is not active. Register another worker.')
    const differ = CHANGEABLE.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(next[name]))
    const { status, max_tier, capacity } = next
    await ctx.table.commit(
      [
        workers.replace(next, was, new Overtaken()),
        ...stays,
        ...changed(ctx, [
          {
            ...change('updated', next),
            data: { changed_fields: differ, status, max_tier, capacity },
            changes: differ.map((path) => ({ path, before: was[path], after: next[path] })),
          },
        ]),
      ],
      id,
    )
    return { ...next, _v: was._v + 1 }
  })
