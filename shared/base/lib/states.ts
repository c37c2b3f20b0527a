// Tables of states. Any move that a table does not have is a 409.
import { conflict } from './failure.ts'

/** Every state with the states that may follow it. */
export type States<S extends string> = Record<S, readonly S[]>

/** Throws 409 for a move that the table does not allow. */
export function mustAllowMove<S extends string>(states: Partial<States<S>>, from: S, to: S): void {
  if (!states[from]?.includes(to)) throw conflict(`You cannot change the status from ${from} to ${to}.`)
}
