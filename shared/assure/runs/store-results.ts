// Stores what a run has found, part by part: whoever goes on with the run begins after the last part.
import type { Context } from '../../base/context.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken, retryWhenOvertaken } from '../../base/kernel/retry.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { openViolations } from '../../ledger/violations/violation.ts'
import type { CheckFacts } from '../catalogue/catalogue.ts'
import { type CheckResult, checkResults } from '../checks/check-result.ts'
import { type CheckRun, checkRuns } from '../checks/run.ts'
import { runTurns } from './claim-run.ts'
import type { Concern } from './concern.ts'
import type { Evaluated } from './evaluate.ts'
import { takenOver } from './taken-over.ts'
import { changeOf, violationParts } from './violation-change.ts'

const PART = 20

export type Judged = { check: CheckFacts; result: Evaluated; concern: Concern }

/** Throws when another worker has gone on with the run. */
export async function storeResults(ctx: Context, run: Stored<CheckRun>, judged: readonly Judged[]) {
  const open = new Map((await openViolations(ctx)).map((one) => [one.check_id, one]))
  const isLoud = (one: Judged): boolean => changeOf(one, open.get(one.check.id)) !== undefined
  let latest = run
  for (const part of partsOf(judged, isLoud)) latest = await storePart(ctx, latest, part)
  return latest
}

/** A check that opens or closes something is a part of its own, since its task may take the same worker as the next one. */
function partsOf(judged: readonly Judged[], isLoud: (one: Judged) => boolean): Judged[][] {
  const parts: Judged[][] = []
  let quiet: Judged[] = []
  for (const one of judged) {
    if (isLoud(one)) parts.push([one])
    else if (quiet.length > 0 && quiet.length < PART) quiet.push(one)
    else parts.push((quiet = [one]))
  }
  return parts
}

const storePart = (ctx: Context, was: Stored<CheckRun>, part: readonly Judged[]): Promise<Stored<CheckRun>> =>
  retryWhenOvertaken(async () => {
    const [only] = part
    const told = part.length === 1 && only ? await violationParts(ctx, only) : undefined
    const before = await ctx.table.getAll(
      checkResults,
      part.map(({ check }) => ({ ...ctx.space, check_id: check.id })),
    )
    const known = new Map(before.map((one) => [one.check_id, one]))
    const found = part.map(({ result }) => ({
      ...result,
      previous_status: known.get(result.check_id)?.status ?? null,
    }))
    const next: CheckRun = {
      ...was,
      results: [...was.results, ...found],
      attempt: 1,
      ...runTurns.until(ctx.now()),
    }
    const [first, ...others] = told?.transitions ?? []
    await ctx.table.commit([
      checkRuns.replace(next, was, takenOver),
      ...part.map(({ result }) => resultWrite(ctx, was.id, result, known.get(result.check_id))),
      ...(told?.writes ?? []),
      ...(first ? recorded(ctx, [first, ...others], told) : []),
    ])
    return { ...next, _v: was._v + 1 }
  })

function resultWrite(ctx: Context, run_id: string, result: Evaluated, was: Stored<CheckResult> | undefined): Write {
  const { tenant_id, mode } = ctx.space
  const isSame = was?.status === result.status
  const next: CheckResult = {
    tenant_id,
    mode,
    run_id,
    ...result,
    previous_status: isSame ? was.previous_status : was?.status,
    changed_at: isSame ? was.changed_at : result.evaluated_at,
  }
  return was ? checkResults.replace(next, was, new Overtaken()) : checkResults.insert(next, new Overtaken())
}
