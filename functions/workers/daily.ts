import { openTable } from '../../shared/context.ts'
import { queueEveryChain } from '../../shared/evidence/full-pass.ts'

/** Each day: every chain is verified in full, and whether every state has its evidence. */
export const handler = (): Promise<void> => queueEveryChain(openTable())
