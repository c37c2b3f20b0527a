import type { Context } from '../../base/context.ts'
import { accountPartition } from './artefact.ts'
import { removeAll } from './store.ts'

/**
 * Removes the grants of a person, and answers how many there were. What makes them and their tokens invalid is the account
 * itself: its status, or `tokens_valid_after`, which the caller has committed with its own evidence. This tidies up.
 */
export const endGrants = ({ table }: Pick<Context, 'table'>, user_id: string): Promise<number> =>
  removeAll(table, accountPartition(user_id), 'Grant')
