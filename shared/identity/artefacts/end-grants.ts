import type { Context } from '../../base/context.ts'
import { warn } from '../../base/lib/log.ts'
import { accountPartition, consentsPartition } from './artefact.ts'
import { removeAll } from './store.ts'

const AT_ONCE = 500

/**
 * Removes the grants of a person and returns how many there were. This only tidies up: the grants are invalid already by the
 * status or `tokens_valid_after` of the account, which the caller has committed with its own evidence.
 */
export const endGrants = ({ table }: Pick<Context, 'table'>, user_id: string): Promise<number> =>
  removeAll(table, { pk: accountPartition(user_id), index: 'gsi1', prefix: 'Grant#' })

/** The same for what all people allowed a client that was deleted. More than these expire by themselves. */
export async function endConsents({ table, space }: Context, client_id: string): Promise<void> {
  const pk = consentsPartition(space.tenant_id)
  const consents = { pk, index: 'gsi2', prefix: `${client_id}#`, limit: AT_ONCE } as const
  await removeAll(table, consents).catch((error: unknown) => warn('consents_not_removed', error, { client_id }))
}
