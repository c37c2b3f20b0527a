// Where a held action came from, sealed beside it: what the policies are told of the request has to be the same when it is
// judged once more, hours later and in the request of somebody else. The country follows from the address.
import type { Context } from '../../base/context.ts'
import { openBytes, sealBytes } from '../../ledger/sealing/seal.ts'
import { type Execution, executions } from './execution.ts'
import { Failure } from '../../base/lib/failure.ts'

type Origin = { ip?: string; roles: string[] }

/** Of the present request. `subject_ref`: whose erasure takes it along. */
export function sealOrigin({ space, principal, request }: Context, { id, subject_ref }: Execution) {
  const text = [request.ip, ...principal.roles].join(' ')
  return sealBytes(space, executions.key({ ...space, id }), 'origin', Buffer.from(text), { keyName: subject_ref })
}

/** Undefined when it was not kept or is erased; what is not known tightens. */
export async function openOrigin({ space }: Context, execution: Execution): Promise<Origin | undefined> {
  if (!execution.origin) return undefined
  try {
    const bytes = await openBytes(space, executions.key(execution), 'origin', execution.origin)
    const [ip, ...roles] = bytes.toString().split(' ')
    return { ...(ip && { ip }), roles }
  } catch (error) {
    if (error instanceof Failure && error.kind === 'conflict') return undefined // erased
    throw error
  }
}
