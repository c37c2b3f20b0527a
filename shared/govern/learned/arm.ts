// Which arm of a live test decides on an execution. An agent or a user always has the same; that of an execution is drawn once
// and kept with it.
import type { Context } from '../../base/context.ts'
import { hex } from '../../ledger/evidence/artifact/hashes.ts'
import { type Arm, armOf } from './assignment.ts'
import type { SlotTest } from './learned.ts'

/** `unit`: of an agent or user; none where each execution is its own. */
export type Drawn = { test_id: string; arm: Arm; unit?: string | undefined }

/** Whom a decision is for. `drawn`: the arm that it had before. */
export type Units = { agent: string; user: string; drawn?: Drawn | undefined }

type Requester = { requested_by: { type: string; id: string }; persons: readonly string[] }

/** The agent is the one that the credential proves, never one that a request names: else a caller could choose its arm. */
export const unitsOf = (
  { requested_by: { type, id }, persons }: Requester,
  actors: readonly string[],
  drawn?: Drawn,
): Units => ({ agent: actors[0] ?? `${type}:${id}`, user: persons[0] ?? `${type}:${id}`, drawn })

const BYTES = 8

export function drawnIn(ctx: Pick<Context, 'random'>, test: SlotTest, { drawn, ...units }: Units): Drawn {
  if (drawn?.test_id === test.id) return drawn
  const unit = test.unit === 'execution' ? undefined : units[test.unit]
  return { test_id: test.id, arm: armOf(test, unit ?? hex(ctx.random(BYTES))), unit }
}
