// Notes on an account who raised it (decision 0175; `accounts/raise.ts` defines a raise). Every verb by which somebody makes
// an account, gives it the right to decide on approvals or could take it over, stores the result of these functions.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Table } from '../../base/table/table.ts'
import { type Raise, raisesAt, withRaises } from '../accounts/raise.ts'
import type { User } from '../accounts/user.ts'
import { permissionsNow, personNow } from './permissions.ts'

type Was = { id?: string; raised?: readonly Raise[] | undefined }

/** `raised` of an account, role, group or mapping after this request. `was`: as it is now; absent for a new one. */
export async function raisedBy(ctx: Context, was: Was = {}): Promise<Raise[] | undefined> {
  return withRaises(raisesAt(was.raised, ctx.now()), await raisesBy(ctx), was.id)
}

/**
 * The same where only a new right to decide on approvals counts: a person who had that right before would otherwise cease to be
 * independent by a gift. `also`: who raised the account by this change besides the caller.
 */
export async function raisedIfDeciding(
  ctx: Context,
  was: User,
  next: User,
  also: () => Promise<readonly Raise[]> = async () => [],
): Promise<Raise[] | undefined> {
  const [before, after] = await Promise.all([permissionsNow(ctx.table, was), permissionsNow(ctx.table, next)])
  if (!after.has('approvals:decide') || before.has('approvals:decide')) return was.raised
  const others = raisesAt(await also(), ctx.now())
  return withRaises(others, (await raisedBy(ctx, was)) ?? [], was.id)
}

/**
 * Everybody who could have made this request, and everybody who raised one of them: otherwise a puppet that raises another one
 * would hide its maker. The service itself raises nobody.
 */
export async function raisesBy(ctx: Context): Promise<Raise[]> {
  const at = iso(ctx.now())
  const { persons } = ctx.principal
  return [...(await raisesBehind(ctx.table, ctx.space.tenant_id, persons)), ...persons.map((by) => ({ by, at }))]
}

/** Ids of the people who raised the caller's account. The account of a session was read with it. */
export const raisersOf = async ({ table, space, principal }: Context): Promise<readonly string[]> =>
  principal.credential === 'session'
    ? (principal.raised_by ?? [])
    : raisersBehind(table, space.tenant_id, principal.persons)

/** Ids of the people who raised one of those who could use a credential. */
export const raisersBehind = async (table: Table, tenant_id: string, persons: readonly string[]): Promise<string[]> => [
  ...new Set((await raisesBehind(table, tenant_id, persons)).map(({ by }) => by)),
]

async function raisesBehind(table: Table, tenant_id: string, persons: readonly string[]): Promise<Raise[]> {
  const people = await Promise.all(persons.map((id) => personNow(table, { tenant_id, id })))
  return people.flatMap((person) => person?.raised ?? [])
}
