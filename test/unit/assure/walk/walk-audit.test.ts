import { beforeEach, describe, expect, test } from 'vitest'
import { Budget } from '../../../../shared/assure/walk/walk-day.ts'
import type { WalkedMonth } from '../../../../shared/assure/walk/day.ts'
import { versionsSince, walkedFacts } from '../../../../shared/assure/walk/counts.ts'
import { walkAudit } from '../../../../shared/assure/walk/walk-audit.ts'
import { policies, policyVersions } from '../../../../shared/govern/governance/stored-rules.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { changed } from '../../../../shared/ledger/audit/changed.ts'
import { auditEntries, newEntry } from '../../../../shared/ledger/audit/entry.ts'
import { headKey, heads } from '../../../../shared/ledger/evidence/chain/chain.ts'
import { sequence } from '../../../../shared/ledger/evidence/chain/sequence.ts'
import { SPACE } from '../../ledger/evidence/world.ts'
import { type CheckedSpace, checkedSpace, DAY, HOUR } from '../space.ts'

let it: CheckedSpace
beforeEach(async () => {
  it = await checkedSpace()
})

async function walk(items = 25_000): Promise<WalkedMonth[]> {
  for (;;) {
    const months = await walkAudit(it.ctx, new Budget(items))
    if (months) return months
  }
}

const since = () => it.clock.now() - 90 * DAY
const found = async () => {
  const ask = { ctx: it.ctx, now: it.clock.now(), since: since() }
  const { audit_actors, audit_entries } = walkedFacts({ days: [], months: await walk() })
  return { actors: await audit_actors(ask), entries: await audit_entries(ask) }
}

/** Changes of settings, each with its artifact and its entry, sequenced. */
async function administer(times: number): Promise<void> {
  for (let made = 0; made < times; made += 1) {
    await it.ctx.table.commit(
      changed(it.ctx, [
        { action: 'role.created', artifact: 'identity.role.created', subject: { type: 'role', id: `role_${made}` } },
      ]),
    )
  }
  await sequence(it.ctx)
}

const entries = () => it.ctx.table.query(auditEntries, { pk: `T#${SPACE.tenant_id}#live#AUDIT#2026-11` })

describe('entries of the audit log', () => {
  test('are counted against the artifacts in the chain, the newest included', async () => {
    await administer(3)

    expect((await found()).entries).toEqual({ artifacts: 3, entries: 3, lost: [] })
  })

  test('are counted once, in however many messages', async () => {
    await administer(5)
    it.later(HOUR)
    await walk(1)
    const months = await walk(1)

    expect(months.reduce((sum, { named }) => sum + named, 0)).toBe(5)
    expect((await found()).actors).toMatchObject({ numerator: 5, denominator: 5 })
  })

  test('that name no artifact are not counted against the chain', async () => {
    await administer(1)
    const denied = newEntry(it.ctx, { action: 'denied', outcome: 'denied', subject: { type: 'route', id: 'x' } })
    await it.ctx.table.commit([auditEntries.insert(denied)])

    expect((await found()).entries).toMatchObject({ artifacts: 1, entries: 1 })
  })

  test('are counted by two runs at once as by one', async () => {
    await administer(5)
    it.later(HOUR)
    await Promise.all([walk(2), walk(2)])

    expect((await found()).entries).toMatchObject({ artifacts: 5, entries: 5 })
  })

  test('name an actor whom nobody knows', async () => {
    const entry = newEntry(it.ctx, { action: 'role.created', outcome: 'success', subject: { type: 'role', id: 'r' } })
    await it.ctx.table.commit([auditEntries.insert({ ...entry, actor: { type: 'api_key', id: 'key_stranger' } })])
    it.later(HOUR)

    expect((await found()).actors).toMatchObject({ numerator: 0, denominator: 1, failing_ids: [entry.id] })
  })
})

describe('an entry that somebody removes', () => {
  test('is missed by the next daily run, however old it is', async () => {
    await administer(4)
    it.later(HOUR)
    await walk()
    const [first] = await entries()
    if (first) await it.ctx.table.commit([auditEntries.remove(first)])
    it.later(100 * DAY)

    expect((await found()).entries).toEqual({ artifacts: 4, entries: 3, lost: ['2026-11'] })
  })

  test('is missed although others were made up in another month', async () => {
    await administer(2)
    it.later(HOUR)
    await walk()
    const [first] = await entries()
    if (first) await it.ctx.table.commit([auditEntries.remove(first)])
    it.later(40 * DAY)
    const subject = { type: 'role', id: 'r' }
    const facts = { action: 'role.created', outcome: 'success', subject, evidence_artifact_id: 'art_1' } as const
    const forged = newEntry(it.ctx, facts)
    await it.ctx.table.commit([auditEntries.insert(forged)])

    expect((await found()).entries.lost).toEqual(['2026-11'])
  })
})

test('an entry that cannot be read is counted, and names nobody', async () => {
  await administer(1)
  const [entry] = await entries()
  if (!entry) throw new Error('no entry')
  const { tenant_id: _, ...rest } = entry
  await it.ctx.table.update(auditEntries.key(entry), { set: { ...rest, changes: 'none' } })
  it.later(HOUR)

  expect(await found()).toMatchObject({ actors: { failing_ids: [entry.id] }, entries: { artifacts: 1, entries: 0 } })
})

describe('versions of policies', () => {
  const version = async (number: number, entry: object | undefined) => {
    const at = iso(it.clock.now())
    const policy = { policy_id: 'pol_1', version: number, name: 'p', enabled: true, body: '{}' }
    const stored = {
      ...SPACE,
      ...policy,
      created_at: at,
      updated_at: at,
      updated_by: { type: 'user', id: 'usr_maker' },
    }
    const was = await it.ctx.table.get(policies, stored)
    await it.ctx.table.commit([
      was ? policies.replace(stored, was) : policies.insert(stored),
      policyVersions.insert(stored),
      ...(entry
        ? changed(it.ctx, [
            {
              action: 'policy.updated',
              artifact: 'policy.updated',
              subject: { type: 'policy', id: 'pol_1' },
              changes: [{ path: 'version', ...entry }],
            },
          ])
        : []),
    ])
  }

  test('need an entry each that names the version before', async () => {
    await version(1, { after: 1 })
    await version(2, { before: 1, after: 2 })
    await version(3, { before: 1, after: 3 })
    await version(4, undefined)

    expect(await versionsSince(it.ctx, since())).toEqual([
      { id: 'pol_1@1', traced: true },
      { id: 'pol_1@2', traced: true },
      { id: 'pol_1@3', traced: false },
      { id: 'pol_1@4', traced: false },
    ])
  })

  test('made before the window are left out', async () => {
    await version(1, undefined)
    it.later(100 * DAY)

    expect(await versionsSince(it.ctx, since())).toEqual([])
  })
})

test('the head of the chain counts what the log is compared with', async () => {
  await administer(2)

  expect((await it.ctx.table.get(heads, headKey(SPACE)))?.counts).toEqual({ 'identity.role.created': 2 })
})
