import * as z from 'zod'
import { resultsHash } from './results-hash.ts'
import { CheckRun, RunResult } from './run.ts'

export const RunView = z.object({
  ...CheckRun.pick({ id: true, trigger: true, scope: true, status: true, requested_by: true }).shape,
  requested_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  catalogue_hash: z.string(),
  /** Of what the run has found; its artifact names it, too. */
  results_sha256: z.string().nullable(),
  results: z.array(RunResult),
})
export type RunView = z.output<typeof RunView>

/** The response drops the members that are the service's own. */
export const runView = (run: CheckRun): RunView => ({
  ...run,
  started_at: run.started_at ?? null,
  finished_at: run.finished_at ?? null,
  results_sha256: run.status === 'completed' ? resultsHash(run.results) : null,
})
