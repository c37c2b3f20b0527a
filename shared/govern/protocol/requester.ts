import type { Principal } from '../../base/context.ts'
import type { Execution } from '../executions/execution.ts'

/** Whether it is the credential of the request, or anybody who stands behind it. */
export const isRequester = (
  { id, persons }: Pick<Principal, 'id' | 'persons'>,
  { requested_by, persons: requesters }: Pick<Execution, 'requested_by' | 'persons'>,
): boolean => id === requested_by.id || persons.some((person) => requesters.includes(person))
