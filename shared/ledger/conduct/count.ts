// Adds up the conduct of actors from the measures of commits. The transaction that puts a commit into the log holds these
// writes, so a commit counts once, however often it is delivered.
import type { EventType } from '../../base/catalog/event-types.ts'
import { CONDUCT } from '../../base/catalog/measure-words.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Write } from '../../base/table/entity.ts'
import { actorsOf, type Conduct, type Conducted, conducts, type Day, DAYS_KEPT } from './conduct.ts'

type Requested = { requested_by: string; agent_id?: string | null | undefined; actor: { type: string } }

/** What counting needs of the events of a commit. */
type Event =
  | { type: 'action.requested'; data: Requested }
  | { type: Exclude<EventType, 'action.requested'>; data: object }

/** `at`: time of the commit (ms). */
export type Counted = { at: number; events: readonly Event[]; measures: readonly unknown[] }

type Entry = { actor: string; what: Conducted; at: number }

/** Measures that are none of these are not ours. */
export function conductIn({ at, events, measures }: Counted): Entry[] {
  return measures.flatMap((measure) => {
    if (!Array.isArray(measure) || measure[0] !== 'k') return []
    const [, place, ...named]: unknown[] = measure
    const what = CONDUCT[Number(place)]
    if (what === undefined) return []
    const actors = named.length > 0 ? named.map(String) : requesterIn(events, measures)
    return actors.map((actor) => ({ actor, what, at }))
  })
}

/** In the first transaction of an execution the events say who requests it. */
function requesterIn(events: readonly Event[], measures: readonly unknown[]): string[] {
  const asked = events.find((event) => event.type === 'action.requested')
  if (!asked) return []
  const { requested_by: id, agent_id, actor } = asked.data
  const decided = measures.find((measure) => Array.isArray(measure) && measure[0] === 'd')
  const agent_bound = Array.isArray(decided) && decided[4] === 1
  return actorsOf({ type: actor.type, id, agent_id: agent_id ?? undefined, agent_bound })
}

/** The actors that commits add to. */
export const actorsIn = (commits: readonly Counted[]): string[] => [
  ...new Set(commits.flatMap((commit) => conductIn(commit).map(({ actor }) => actor))),
]

/** One write for each actor. The head of the log, which the same transaction moves, keeps others from counting meanwhile. */
export async function conductWrites({ table, space }: Context, commits: readonly Counted[]): Promise<Write[]> {
  const byActor = Map.groupBy(commits.flatMap(conductIn), ({ actor }) => actor)
  const known = await table.getAll(
    conducts,
    [...byActor.keys()].map((actor) => ({ ...space, actor })),
  )
  return [...byActor].map(([actor, entries]) => {
    const was = known.find((one) => one.actor === actor)
    const next = entries.reduce(added, was ?? { ...space, ...nothing(actor, entries) })
    return was ? conducts.replace(next, was) : conducts.insert(next)
  })
}

const ZERO = { rejected: 0, undone: 0, failed: 0, violations: 0 }

const nothing = (actor: string, [first]: readonly Entry[]) => ({
  actor,
  first_at: iso(first?.at ?? 0),
  executions: 0,
  approvals: 0,
  ...ZERO,
  days: [],
})

function added(conduct: Conduct, { what, at }: Entry): Conduct {
  if (what === 'approved') return { ...conduct, approvals: conduct.approvals + 1 }
  const total = what === 'ok' ? 'executions' : what
  return { ...conduct, [total]: conduct[total] + 1, days: withDay(conduct.days, iso(at).slice(0, 10), what) }
}

function withDay(days: readonly Day[], day: string, what: Exclude<Conducted, 'approved'>): Day[] {
  const was = days.find((one) => one.day === day) ?? { day, ok: 0, ...ZERO }
  const others = days.filter((one) => one.day !== day)
  return [...others, { ...was, [what]: was[what] + 1 }].toSorted((a, b) => (a.day < b.day ? -1 : 1)).slice(-DAYS_KEPT)
}
