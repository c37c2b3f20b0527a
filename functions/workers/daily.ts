import { openTable } from '../../shared/base/context.ts'
import { recheckDomains } from '../../shared/identity/domains/recheck.ts'
import { queueEveryChain } from '../../shared/ledger/evidence/verify/full-pass.ts'

/**
 * Each day: every chain is verified in full, and whether every state has its evidence; every verified domain is looked up
 * again.
 */
export const handler = async (): Promise<void> => {
  const table = openTable()
  await Promise.all([queueEveryChain(table), recheckDomains(table)])
}
