// Compares the rows of a population with the artifacts of the chain, as sets of ids. What lies close to a border of the window may
// be on one side only, because a row and its artifact differ by milliseconds; so it is compared, but its absence is no finding.
import type { Window } from '../exports/window.ts'

/** `at`: ISO 8601. */
export type Dated = { id: string; at: string }

export type Differences = { rows_without_artifact: string[]; artifacts_without_row: string[] }

const BORDER_MS = 60_000

/** Whether the absence of a counterpart counts. */
export function isInside({ start_at, end_at }: Window): (one: Dated) => boolean {
  const [from, to] = [Date.parse(start_at) + BORDER_MS, Date.parse(end_at) - BORDER_MS]
  return ({ at }) => Date.parse(at) >= from && Date.parse(at) < to
}

/** Ids in their order, each once. Give all that is known of both sides: the window decides what is reported. */
export function reconcile(rows: Iterable<Dated>, artifacts: Iterable<Dated>, window: Window): Differences {
  const inside = isInside(window)
  const [left, right] = [byId(rows), byId(artifacts)]
  const without = (some: Map<string, Dated>, others: Map<string, Dated>) =>
    [...some.values()].filter((one) => !others.has(one.id) && inside(one)).map(({ id }) => id)
  return {
    rows_without_artifact: without(left, right).toSorted(),
    artifacts_without_row: without(right, left).toSorted(),
  }
}

/** Of several with one id, one inside counts: the first is kept. */
const byId = (some: Iterable<Dated>): Map<string, Dated> => new Map([...some].toReversed().map((one) => [one.id, one]))
