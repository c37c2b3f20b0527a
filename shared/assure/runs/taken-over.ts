import { conflict } from '../../base/lib/failure.ts'

/** Thrown by a worker who finds that another one goes on with its run. */
export const takenOver = conflict('Another worker goes on with this run.')
