// Single access tokens of a client itself that have ended before their time. Such a token has no grant that could end. A client
// that has ever ended one says so in its item, so nothing is looked up for the others.
import type { Table } from '../../base/table/table.ts'
import { artefacts, named } from '../artefacts/artefact.ts'

export const ENDED_TOKEN = 'EndedToken'

export const hasEnded = async (table: Table, { jti }: { jti: string }): Promise<boolean> =>
  (await table.get(artefacts, named(ENDED_TOKEN, jti))) !== undefined
