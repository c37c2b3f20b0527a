// The notices of logout for clients when grants of a person end. Each grant is a session of its client: it is given once
// per browser, and its hash is the `sid` of the ID tokens that were issued under it.
import type { Context } from '../../base/context.ts'
import type { Logout } from '../../ledger/events/mail.ts'
import { accountPartition, type Artefact, artefacts } from './artefact.ts'

/** Sessions in one message, so that its tokens can be sent while its worker lives. */
const AT_ONCE = 10
/**
 * Sessions of one client that are named, messages of one commit, and grants that are read for it. Nobody can make so many that
 * their access cannot be ended.
 */
const SESSIONS_MAX = 50
const MESSAGES_MAX = 250
const GRANTS_READ = 1_000

/** Of all live grants of a person, for a commit that ends all of them. */
export async function logoutsOf(ctx: Context, user_id: string): Promise<Logout[]> {
  const range = { pk: accountPartition(user_id), index: 'gsi1', prefix: 'Grant#', limit: GRANTS_READ } as const
  const grants = await ctx.table.query(artefacts, range)
  return logoutsFor(
    ctx,
    user_id,
    grants.filter(({ exp }) => exp * 1_000 > ctx.now()),
  )
}

type Naming = Pick<Context, 'id' | 'space'>
type Ended = Pick<Artefact, 'client_id' | 'hash'>

/**
 * Of these grants. Where a client has more sessions than a notice may name, the notice says that all sessions of the person have
 * ended, so a caller that ends as many must end all. Whether a client wants notices is decided when one is sent.
 */
export function logoutsFor(ctx: Naming, user_id: string, grants: readonly Ended[]): Logout[] {
  const { tenant_id } = ctx.space
  const byClient = Map.groupBy(grants, ({ client_id = '' }) => client_id)
  const registered = [...byClient].filter(([client_id]) => client_id.startsWith(REGISTERED))
  return registered
    .flatMap(([client_id, ended]) =>
      ended.length > SESSIONS_MAX ? { client_id } : slices(ended).map((sids) => ({ client_id, sids })),
    )
    .slice(0, MESSAGES_MAX)
    .map((of) => ({ id: ctx.id('lgo'), tenant_id, user_id, ...of }))
}

/** Clients that a document describes have no address for notices. */
const REGISTERED = 'cli_'

const slices = (ended: readonly Ended[]): string[][] =>
  Array.from({ length: Math.ceil(ended.length / AT_ONCE) }, (_, i) =>
    ended.slice(i * AT_ONCE, (i + 1) * AT_ONCE).map(({ hash }) => hash),
  )
