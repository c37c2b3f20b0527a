import type { Context } from '../../base/context.ts'
import { accountPartition } from './artefact.ts'
import { removeAll } from './store.ts'

/**
 * Removes the grants of a person and returns how many there were. This only tidies up: the grants are invalid already by the
 * status or `tokens_valid_after` of the account, which the caller has committed with its own evidence.
 */
export const endGrants = ({ table }: Pick<Context, 'table'>, user_id: string): Promise<number> =>
  removeAll(table, accountPartition(user_id), 'Grant')
