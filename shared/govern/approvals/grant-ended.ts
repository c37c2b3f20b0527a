import { Failure } from '../../base/lib/failure.ts'

/** Thrown by the commit of an action under a grant that meanwhile ended, or whose approver lost the right to give it. */
export class GrantEnded extends Failure {
  constructor() {
    super('conflict', 'The grant has ended. Repeat your request.')
  }
}
