import { openTable } from '../../shared/base/context.ts'
import { recheckDomains } from '../../shared/identity/domains/recheck.ts'
import { queueEveryChain } from '../../shared/ledger/evidence/verify/full-pass.ts'

/** Verifies every chain in full each day, checks that every state has its evidence, and looks up every verified domain. */
export const handler = async (): Promise<void> => {
  const table = openTable()
  await Promise.all([queueEveryChain(table), recheckDomains(table)])
}
