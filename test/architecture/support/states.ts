// Tables of states: what may follow what. The first state of a table is where a thing begins.
export type Table = Record<string, readonly string[]>

export const isTable = (value: unknown): value is Table =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((next) => Array.isArray(next) && next.every((state) => typeof state === 'string'))

/** Moves to nowhere, and states that nothing leads to. */
export function stateProblems(name: string, table: Table): string[] {
  const states = Object.keys(table)
  const strays = Object.values(table)
    .flat()
    .filter((state) => !states.includes(state))
  const reached = new Set(states.slice(0, 1))
  for (const state of reached) for (const next of table[state] ?? []) reached.add(next)
  return [
    ...strays.map((state) => `${name}: ${state} is no state`),
    ...states.filter((state) => !reached.has(state)).map((state) => `${name}: nothing leads to ${state}`),
  ]
}
