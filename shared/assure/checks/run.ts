// A run of compliance checks: who requested it, its progress, and its results.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { idPattern } from '../../base/lib/ids.ts'
import type { States } from '../../base/lib/states.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, spaceKey, type Stored } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import { CHECK_STATUSES, Finding } from './check.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'

/**
 * `enable`: a framework was enabled, changed or disabled. `evidence`: a decision on evidence. `export`: an export that is to
 * show a run of its own.
 */
export const RUN_TRIGGERS = ['schedule', 'manual', 'enable', 'evidence', 'export'] as const
export type RunTrigger = (typeof RUN_TRIGGERS)[number]

export const RUN_STATUSES = ['queued', 'running', 'completed', 'failed'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

export const RUN_STATES: States<RunStatus> = {
  queued: ['running', 'failed'],
  running: ['completed', 'failed'],
  completed: [],
  failed: [],
}

/** Every check, those of every hour, or these. */
export const RunScope = z.union([z.enum(['full', 'hourly']), z.array(z.string())])
export type RunScope = z.output<typeof RunScope>

export const RunResult = z.object({
  check_id: z.string().describe('Id of the check.'),
  /** Of the check's rule. */
  version: z.int().describe('Version of the rule of the check.'),
  ...Finding.shape,
  evaluated_at: z.string().describe('When the check was last carried out.'),
  /** The status before the run; null where there was none. */
  previous_status: z.enum(CHECK_STATUSES).nullable().describe('The previous status.'),
})
export type RunResult = z.output<typeof RunResult>

/** The request of a run. */
export const RunAsk = z.object({
  trigger: z.enum(RUN_TRIGGERS).describe('The cause of the run.'),
  scope: RunScope.describe('What is checked.'),
  requested_by: z
    .object({
      type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('What kind of caller it is.'),
      id: z.string().describe('Id of the caller.'),
    })
    .describe('The caller that requested it.'),
  /** Set where the id follows from what asks: one slot of the schedule has one run. */
  id: z.string().optional(),
  /** Exports that wait for its end. */
  export_ids: z.array(z.string()),
})
export type RunAsk = z.output<typeof RunAsk>

export const CheckRun = z.object({
  ...resourceMembers,
  ...RunAsk.omit({ id: true }).shape,
  status: z.enum(RUN_STATUSES).describe('The current state.'),
  requested_at: z.string(),
  started_at: z.string().optional(),
  finished_at: z.string().optional(),
  /** In the order of the checks; complete once the run is. */
  results: z.array(RunResult),
  /** The catalogue that it began with. */
  catalogue_hash: z.string(),
  /** How often a worker has begun with it since it last made progress. */
  attempt: z.int(),
  /** While open: when the sweeper sends its message again. */
  due_at: z.string().optional(),
})
export type CheckRun = z.output<typeof CheckRun>

const partitionOf = (space: Space): string => spaceKey(space, 'CHKRUNS')
const KEPT_MS = 400 * 86_400_000

export const checkRuns = entity({
  name: 'CHECK_RUN',
  unbound: 'bounded',
  schema: CheckRun,
  key: (of: Space & { id: string }) => ({ pk: partitionOf(of), sk: of.id }),
  index: (item) => dueAt(item.due_at, item.id),
  ttl: (item) => Math.floor((Date.parse(item.requested_at) + KEPT_MS) / 1_000),
})

/** One item of each space, which lets one run be open at a time. */
export const runQueues = entity({
  name: 'CHECK_QUEUE',
  unbound: 'bounded',
  schema: z.object({
    ...spaceMembers,
    /** The open run. */
    open: z.string().optional(),
    /** The merged requests since then: the run that follows the open one. */
    next: RunAsk.optional(),
    /** When the last manual runs were asked for, oldest first. */
    manual_at: z.array(z.string()),
  }),
  key: (of: Space) => ({ pk: partitionOf(of), sk: 'QUEUE' }),
})
export type RunQueue = z.output<typeof runQueues.schema>

export const isOpen = ({ status }: Pick<CheckRun, 'status'>): boolean => status === 'queued' || status === 'running'

const RUN_ID = idPattern('run')

export async function findRun(ctx: Context, id: string): Promise<Stored<CheckRun>> {
  const found = RUN_ID.test(id) ? await ctx.table.get(checkRuns, { ...ctx.space, id }) : undefined
  if (!found) throw notFound('check run')
  return found
}

export const RunView = z.object({
  ...CheckRun.pick({ id: true, trigger: true, scope: true, status: true, requested_by: true }).shape,
  requested_at: z.string().describe('When it was requested.'),
  started_at: z.string().nullable().describe('When it started.'),
  finished_at: z.string().nullable().describe('When the run ended; null while it is open.'),
  catalogue_hash: z.string().describe('SHA-256 of the catalogue of checks, in canonical JSON.'),
  /** The hash of its results; its artifact names it, too. */
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

/** SHA-256 (hex) over the canonical JSON (RFC 8785) of the results, ordered by check. The artifact of the run commits to it. */
export function resultsHash(results: readonly RunResult[]): string {
  const ordered = results.toSorted((a, b) => (a.check_id < b.check_id ? -1 : 1))
  return sha256Hex(canonicalJson(ordered.map(({ previous_status: _, ...result }) => result)))
}
