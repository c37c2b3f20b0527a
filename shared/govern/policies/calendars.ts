// Changes calendars. Their dates are part of the policy set version, so every change also moves the active pointer, and a
// policy that names a calendar is never saved while the calendar is deleted.
import * as z from 'zod'
import { policyOf } from '../governance/policy.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import type { Context } from '../../base/context.ts'
import { canonicalJson, given } from '../../base/lib/json.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { optional, plainText } from '../../base/wire/fields.ts'
import { mustHaveSteppedUp } from '../../identity/access/assurance.ts'
import { moreRules, movePointer, rulesInForce, type StoredRules } from '../governance/governance.ts'
import { calendarsOf } from '../governance/conditions/hours.ts'
import { looseningOfCalendar } from '../governance/loosening.ts'
import { hoursIn } from '../governance/checks/hours-problems.ts'
import { findPointer, type Pointer, readSettings } from '../governance/settings.ts'
import { calendars, CALENDARS_MAX, policySetVersion, type StoredCalendar } from '../governance/stored-rules.ts'
import { approvedUnder, type PointerChange, type Under } from '../governance/change.ts'

export const CalendarBody = z.strictObject({
  dates: z.array(z.iso.date()).max(400).describe('Dates, as `yyyy-mm-dd`.'),
  note: optional(plainText(200, 0)).describe('A note for people.'),
  version: optional(z.int().min(1)).describe(
    'The version, which grows with each change. Send it as `If-Match` with the next change.',
  ),
})
export type CalendarBody = z.output<typeof CalendarBody>

type Present = { pointer: Stored<Pointer>; rules: StoredRules }

async function readPresent(ctx: Context): Promise<Present> {
  await mustHaveSteppedUp(ctx)
  const pointer = await findPointer(ctx.table, ctx.space)
  return { pointer, rules: await rulesInForce(ctx.table, ctx.space, pointer, lost()) }
}

const lost = () => conflict('Another request has changed the policies. Try again.', { code: 'version_conflict' })

export type SavedCalendar = { calendar: StoredCalendar; created: boolean }

/** Throws 409 for another version than the current one, and beyond 20 calendars. */
export async function calendarChange(
  ctx: Context,
  name: string,
  body: CalendarBody,
): Promise<PointerChange<SavedCalendar>> {
  const present = await readPresent(ctx)
  const was = present.rules.calendars.find((one) => one.name === name)
  if (was) mustBeCurrent(body.version, was.version)
  else if (body.version !== undefined) throw notFound('calendar')
  else if (present.rules.calendars.length >= CALENDARS_MAX)
    throw conflict(`You have ${CALENDARS_MAX} calendars, which is the limit. Change or delete one of them instead.`)
  const now = iso(ctx.now())
  const calendar: StoredCalendar = {
    ...ctx.space,
    name,
    version: (was?.version ?? 0) + 1,
    dates: [...new Set(body.dates)].toSorted(),
    note: body.note,
    created_at: was?.created_at ?? now,
    updated_at: now,
    updated_by: { type: ctx.principal.kind, id: ctx.principal.id },
  }
  const write = was ? calendars.replace(calendar, was, lost()) : calendars.insert(calendar, lost())
  const isOther = canonicalJson(calendar.dates) !== canonicalJson(was?.dates ?? [])
  return {
    what: 'a calendar',
    loosens: isOther ? looseningOfCalendar(name, present.rules.policies.map(policyOf)) : [],
    asked: {
      change: 'calendar',
      name,
      version: was?.version ?? 0,
      changes: differences(was, calendar, ['dates', 'note']),
      asked: given({ dates: calendar.dates, note: body.note }),
    },
    replaces: present.pointer._v,
    writes: (under) => [write, ...recordedChange(ctx, present, was, calendar, under)],
    ref: name,
    result: { calendar, created: !was },
  }
}

/** It loosens nothing, since no policy in force names it: throws 409 while an enabled one does. */
export async function deleteCalendar(ctx: Context, name: string, version: number | undefined): Promise<void> {
  const present = await readPresent(ctx)
  const was = present.rules.calendars.find((one) => one.name === name)
  if (!was) throw notFound('calendar')
  mustBeCurrent(version, was.version)
  const user = present.rules.policies
    .map(policyOf)
    .find((policy) => policy.enabled && hoursIn(policy).some(({ hours }) => calendarsOf(hours).includes(name)))
  if (user) throw conflict(`Policy ${user.policy_id} uses this calendar. Change or disable the policy first.`)
  const unchanged = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': was._v } }
  const removal = calendars.remove(was, unchanged, lost())
  await ctx.table.commit([removal, ...recordedChange(ctx, present, was, undefined)], name)
}

/** The state after a change: the pointer to it, and its evidence. */
function recordedChange(
  ctx: Context,
  { pointer, rules }: Present,
  was: StoredCalendar | undefined,
  next: StoredCalendar | undefined,
  under: Under = { mails: [] },
): Write[] {
  const name = (next ?? was)?.name ?? ''
  const others = rules.calendars.filter((one) => one.name !== name)
  const policy_set_version = policySetVersion(rules.policies.map(policyOf), readSettings(pointer), {
    ...moreRules(rules),
    calendars: next ? [...others, next] : others,
  })
  const change = next ? (was ? 'updated' : 'created') : 'deleted'
  const artifact_id = ctx.id('art')
  const { write, set } = movePointer(pointer, { policy_set_version, artifact_id }, lost())
  return [
    write,
    ...changed(
      ctx,
      [
        {
          action: `calendar.${change}`,
          artifact: 'policy.calendar.updated',
          artifact_id,
          subject: { type: 'calendar', id: name, name },
          data: {
            change,
            policy_sets: { [ctx.space.mode]: set },
            ...(next && { version: next.version }),
            ...approvedUnder(under),
          },
          changes: differences(was, next ?? {}, ['dates', 'note']),
        },
      ],
      { mails: under.mails },
    ),
  ]
}
