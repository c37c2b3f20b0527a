// Changes a person by PUT or PATCH. Fields of the account (address, name, password, status) follow the resource only if they
// changed in the resource, so that changes by an administrator stay.
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import { changeAccount } from './change-account.ts'
import { changeTestUser } from './change-test-user.ts'
import { findPerson } from './find-users.ts'
import { mustMatch } from './meta.ts'
import { normalise } from './normalise.ts'
import { readOperations } from './patch-operations.ts'
import { applyPatch } from './patch.ts'
import { type Resource, USER } from './resource-type.ts'
import type { Person } from './stored-user.ts'
import type { LeaveBehind } from '../users/deprovision.ts'
import { mustHaveFewAddresses } from './user-fields.ts'
import { attributesOf, versionOf } from './user-view.ts'
import { mustBeFree, sameUserName } from './user-name.ts'

/** `unchanged`: nothing differed, so nothing was recorded. */
export type Outcome = { person: Person; unchanged: boolean }

/** `leaveBehind`: for a change that ends the person's access. */
type Conditions = { ifMatch?: string | undefined; leaveBehind: LeaveBehind }

/** A change from one resource to another. `fields`: the attributes that differ, except `active`. */
export type UserChange = { was: Resource; next: Resource; fields: string[]; password?: string }

/** Clears all attributes that the body leaves out, except the status. */
export const replaceUser = (ctx: Context, id: string, body: Resource, how: Conditions): Promise<Outcome> => {
  const sent = normalise(USER, body)
  return change(ctx, id, ({ active }) => ({ active, ...sent }), how)
}

/** Applies all operations or none. */
export const patchUser = (ctx: Context, id: string, body: Resource, how: Conditions): Promise<Outcome> => {
  const operations = readOperations(USER, body)
  return change(ctx, id, (was) => applyPatch(USER, was, operations), how)
}

async function change(ctx: Context, id: string, edit: (was: Resource) => Resource, how: Conditions) {
  return retryWhenOvertaken(async (): Promise<Outcome> => {
    const person = await findPerson(ctx, id)
    mustMatch(how.ifMatch, versionOf(person))
    const was = attributesOf(person)
    const { password, ...rest } = edit(was)
    const next: Resource = { ...rest, active: rest.active ?? was.active }
    const fields = fieldsThatDiffer(was, next)
    if (fields.length === 0 && password === undefined && next.active === was.active) return { person, unchanged: true }
    if (fields.includes('emails')) mustHaveFewAddresses(next)
    if (!sameUserName(was.userName, next.userName)) await mustBeFree(ctx, String(next.userName), id)
    const changes = { was, next, fields, ...(typeof password === 'string' && { password }) }
    const { account } = person
    await (account
      ? changeAccount(ctx, { ...person, account }, changes, how.leaveBehind)
      : changeTestUser(ctx, person, changes))
    return { person: await findPerson(ctx, id), unchanged: false }
  })
}

const fieldsThatDiffer = (was: Resource, next: Resource): string[] =>
  [...new Set([...Object.keys(was), ...Object.keys(next)])]
    .filter((name) => name !== 'active' && canonicalJson(was[name] ?? null) !== canonicalJson(next[name] ?? null))
    .toSorted()
