import { conflict } from './failure.ts'

/** What may follow what: every state with the states it may go to. */
export type States<S extends string> = Record<S, readonly S[]>

/** Throws the 409 of a move that the table does not hold. */
export function mustAllowMove<S extends string>(states: States<S>, from: S, to: S): void {
  if (!states[from].includes(to)) throw conflict(`cannot go from ${from} to ${to}`)
}
