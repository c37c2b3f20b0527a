// Address and roles of the request of a held action, sealed in its execution. The second decision, hours later and in the
// request of somebody else, must see the same facts. The country follows from the address.
import type { Context } from '../../base/context.ts'
import { openBytes, sealBytes } from '../../ledger/sealing/seal.ts'
import { type Execution, executions } from './execution.ts'
import { Failure } from '../../base/lib/failure.ts'

type Origin = { ip?: string; roles: string[] }

/** Seals the origin of the present request. It is erased with the data subject `subject_ref`. */
export function sealOrigin({ space, principal, request }: Context, { id, subject_ref }: Execution) {
  const text = [request.ip, ...principal.roles].join(' ')
  return sealBytes(space, executions.key({ ...space, id }), 'origin', Buffer.from(text), { keyName: subject_ref })
}

/** Undefined when it was not stored or is erased; unknown facts tighten the decision. */
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
