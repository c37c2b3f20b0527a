import { textSeal } from '../../ledger/sealing/seal.ts'

/** The attribute `sealed` of a connection. */
export const sealedCredential = textSeal('sealed')
