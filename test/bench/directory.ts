// `npm run bench -- directory [people]`: what searches of a directory read, by its size. Look-ups must not grow with it, and a
// page must grow with its own length only, though every answer holds the number of all people.
import { iso } from '../../shared/base/lib/clock.ts'
import type { Write } from '../../shared/base/table/entity.ts'
import { countFromHere, headCountWrite } from '../../shared/identity/accounts/head-count.ts'
import { emailHash, emails, NEW_USER, users } from '../../shared/identity/accounts/user.ts'
import { PEOPLE } from '../../shared/identity/scim/collections.ts'
import { keyWrites } from '../../shared/identity/scim/filter/keys.ts'
import { list } from '../../shared/identity/scim/list.ts'
import { USER } from '../../shared/identity/scim/resource-type.ts'
import { scimUsers, storedText } from '../../shared/identity/scim/users/user.ts'
import { claimUserName } from '../../shared/identity/scim/users/fields.ts'
import { SPACE, type World, world } from '../unit/ledger/evidence/world.ts'
import { type Units, unitsOf } from './capacity.ts'

const SIZES = [100, 1_000, 10_000]
const PAGES = [10, 100, 1_000]
/** More than a look-up may read, and what a person of a page may cost: two items, each read consistently. */
const GOALS = { lookup: 8, trips: 4, person: 3, total: 2 }

const emailOf = (n: number) => `person-${n}@acme.example`
const idOf = (n: number) => `person-${String(n).padStart(5, '0')}`

/** Every second one came by invitation, so that no directory has written them. */
async function personWrites({ ctx }: World, n: number): Promise<Write[]> {
  const [id, email, at] = [idOf(n), emailOf(n), iso(ctx.now() + n)]
  const account = { ...NEW_USER, ...SPACE, id, username: id, email, email_verified: true, name: `Person ${n}` }
  const reservation = { tenant_id: SPACE.tenant_id, username: id, user_id: id, state: 'complete' as const }
  const accountWrites = [
    users.insert({ ...account, roles: ['member'], status: 'active', source: 'scim', created_at: at, updated_at: at }),
    headCountWrite(SPACE, 'users', id, 1),
    emails.insert({ ...reservation, email_hash: emailHash(email), last_sign_in_at: null, created_at: at }),
  ]
  if (n % 2 === 1) return accountWrites
  const resource = { userName: email, displayName: `Person ${n}`, externalId: id, emails: [{ value: email }] }
  return [
    ...accountWrites,
    scimUsers.insert({ ...SPACE, id, resource: storedText(resource, 'live'), created_at: at, updated_at: at }),
    await claimUserName(ctx, email, id),
    ...keyWrites(SPACE, USER, id, {}, resource),
  ]
}

async function directoryOf(people: number): Promise<World> {
  process.env.APP_URL = 'https://app.countersign.example'
  const it = world()
  await it.ctx.table.commit([countFromHere(SPACE.tenant_id)])
  for (let n = 0; n < people; n += 1) await it.ctx.table.commit(await personWrites(it, n))
  return it
}

const shown = ({ reads, trips, keys }: Units) => ({ 'read units': reads, 'round trips': trips, 'index keys': keys })

async function search({ ctx, table }: World, asked: { filter?: string; count: number }, expected: number) {
  let found: number | undefined
  const units = await unitsOf(table, async () => {
    found = (await list(ctx, PEOPLE, { startIndex: 1, ...asked })).Resources.length
  })
  if (found !== expected) throw new Error(`${JSON.stringify(asked)} found ${found} people instead of ${expected}`)
  return units
}

async function lookups(it: World, n: number): Promise<Record<string, Units>> {
  const filters = [`userName eq "${emailOf(n)}"`, `emails.value eq "${emailOf(n)}"`, `displayName eq "Person ${n}"`]
  const found: Record<string, Units> = {}
  for (const filter of filters) found[filter.replace(/ ".*/, '')] = await search(it, { filter, count: 100 }, 1)
  return found
}

export async function run([most]: string[]): Promise<void> {
  const sizes = SIZES.filter((size) => size <= Number(most ?? SIZES.at(-1)))
  const [rows, pages]: [Record<string, object>, Record<string, object>] = [{}, {}]
  let isMet = true
  for (const size of sizes) {
    const it = await directoryOf(size)
    for (const [of, n] of [
      ['written by the directory', size - 2],
      ['invited', size - 1],
    ] as const) {
      for (const [name, units] of Object.entries(await lookups(it, n))) {
        rows[`${size} people: ${name}, ${of}`] = shown(units)
        isMet &&= units.reads <= GOALS.lookup && units.trips <= GOALS.trips
      }
    }
    for (const count of PAGES.filter((one) => one <= size)) {
      const units = await search(it, { count }, count)
      pages[`${size} people: page of ${count}`] = shown(units)
      isMet &&= units.reads <= GOALS.total + GOALS.person * count
    }
  }
  console.log(`look-ups; goals: ${GOALS.lookup} read units, ${GOALS.trips} round trips, whatever the directory's size`)
  console.table(rows)
  console.log(`pages; goal: ${GOALS.person} read units a person, and ${GOALS.total} for their number`)
  console.table(pages)
  console.log({ met: isMet })
  if (!isMet) process.exitCode = 1
}
