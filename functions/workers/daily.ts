import { openTable } from '../../shared/context.ts'
import { recheckDomains } from '../../shared/domains/recheck.ts'
import { queueEveryChain } from '../../shared/evidence/full-pass.ts'

/**
 * Each day: every chain is verified in full, and whether every state has its evidence; every verified domain is looked up
 * again.
 */
export const handler = async (): Promise<void> => {
  const table = openTable()
  await Promise.all([queueEveryChain(table), recheckDomains(table)])
}
