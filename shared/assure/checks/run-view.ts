import * as z from 'zod'
import { resultsHash } from './results-hash.ts'
import { CheckRun, RunResult } from './run.ts'

export const RunView = z.object({
  ...CheckRun.pick({ id: true, trigger: true, scope: true, status: true, requested_by: true }).shape,
  requested_at: z.string().describe('When it was requested.'),
  started_at: z.string().nullable().describe('When it started.'),
  finished_at: z.string().nullable().describe('When the run ended; null while it is open.'),
  catalogue_hash: z.string().describe('SHA-256 of the catalogue of checks, in canonical JSON.'),
  /** Of what the run has found; its artifact names it, too. */
  results_sha256: z
    .string()
    .nullable()
    .describe(
      'SHA-256 of the canonical JSON of the results, ordered by check and without `previous_status`; the artifact of the run names it.',
    ),
  results: z.array(RunResult).describe('What the checks have found so far.'),
})
export type RunView = z.output<typeof RunView>

/** The response drops the members that are the service's own. */
export const runView = (run: CheckRun): RunView => ({
  ...run,
  started_at: run.started_at ?? null,
  finished_at: run.finished_at ?? null,
  results_sha256: run.status === 'completed' ? resultsHash(run.results) : null,
})
