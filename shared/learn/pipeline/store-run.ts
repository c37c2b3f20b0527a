// Every change of a run's status, with its artifact in the same commit.
import type { Context } from '../../base/context.ts'
import { mustAllowMove } from '../../base/lib/states.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { newArtifacts } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { type PipelineRun, pipelineRuns, RUN_STATES } from './run.ts'

/** `was` is undefined for a new one, whose artifact names everybody behind the request. */
export function runChange(ctx: Context, next: PipelineRun, was?: Stored<PipelineRun>): Write[] {
  if (was) mustAllowMove(RUN_STATES, was.status, next.status)
  const [artifact] = newArtifacts(ctx, {
    ...(!was && { artifact_id: next.request_artifact_id }),
    type: 'learning.run.changed',
    subject: { type: 'pipeline_run', id: next.id },
    data: {
      from: was?.status ?? null,
      to: next.status,
      dry_run: next.dry_run,
      stages: next.stages.map(({ name, status }) => `${name}:${status}`),
      ...(!was && { persons: [...ctx.principal.persons], may_copy: next.may_copy }),
    },
  })
  return [
    was ? pipelineRuns.replace(next, was, new Overtaken()) : pipelineRuns.insert(next),
    ...recorded(ctx, [{ artifact }]),
  ]
}
