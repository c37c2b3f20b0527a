import type { Space } from '../../base/context.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'

/** Where the bucket of files holds what was exported, under the id of its export. */
export const fileKey = (space: Space, id: string, extension: string): string =>
  `exports/${chainName(space)}/${id}.${extension}`
