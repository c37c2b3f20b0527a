// What a tenant is told when its evidence was tampered with.
import { idPattern } from '../../../base/lib/ids.ts'
import type { Detected } from '../../violations/open-violation.ts'
import type { Finding } from './chain.ts'

/** The check that a broken chain fails. */
export const CHAIN_CHECK = 'EVD-01'

/** Whoever tampers may have chosen the names, and what is told here enters the chain. */
const ARTIFACT_ID = idPattern('art')

export const brokenChain = (findings: readonly Pick<Finding, 'artifact_id'>[]): Detected => ({
  check_id: CHAIN_CHECK,
  severity: 'critical',
  failing_ids: findings.flatMap(({ artifact_id: id }) => (id && ARTIFACT_ID.test(id) ? id : [])),
})
