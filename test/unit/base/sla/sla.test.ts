import { iso, MINUTE_MS } from '../../../../shared/base/lib/clock.ts'
import { describe, expect, test } from 'vitest'
import { policyFor, SLA_POLICIES, slaPolicy, SlaPolicy, slaPolicyFor } from '../../../../shared/base/sla/policy.ts'
import {
  answered,
  dealtWith,
  ended,
  nextLook,
  observed,
  paused,
  resumed,
  retargeted,
  slaView,
  startSla,
} from '../../../../shared/base/sla/sla.ts'

const START = Date.parse('2026-11-20T10:00:00.000Z')
const after = (minutes: number) => START + minutes * MINUTE_MS
const at = (minutes: number) => iso(after(minutes))

/** 10 minutes to answer, 100 to resolve. */
const policy = SlaPolicy.parse({
  id: 'sla_quick',
  name: 'quick',
  applies_to: { kinds: [], priorities: [], tiers: [] },
  first_response_minutes: 10,
  resolution_minutes: 100,
  escalations: [
    { after_percent: 80, action: 'notify' },
    { after_percent: 150, action: 'reassign' },
  ],
  is_default: true,
})
const slower: SlaPolicy = { ...policy, id: 'sla_slower', resolution_minutes: 200 }
const sla = startSla(policy, START)

describe('the clocks of an SLA', () => {
  test('start with the work', () => {
    expect(sla).toMatchObject({ first_response_due_at: at(10), resolution_due_at: at(100), running_since: at(0) })
    expect(nextLook(sla, policy, START)).toBe(at(10))
  })

  test('are met a moment before they run out, and missed in the moment itself', () => {
    expect(observed(sla, after(10) - 1)).toBe(sla)
    expect(observed(sla, after(10))).toMatchObject({ status: 'active_with_misses', breaches: ['first_response'] })
  })

  test('a first response stops one of them', () => {
    const begun = answered(sla, after(9))
    expect(begun).toMatchObject({ first_response_at: at(9), first_response_due_at: null, resolution_due_at: at(100) })
    expect(answered(begun, after(50))).toEqual(begun)
    expect(ended(begun, policy, after(99), 'done').status).toBe('hit')
  })

  test('a late first response is a miss that a timely end does not take back', () => {
    expect(ended(answered(sla, after(11)), policy, after(20), 'done')).toMatchObject({
      status: 'missed',
      breaches: ['first_response'],
    })
  })

  test('no clock runs while nobody can work', () => {
    const waiting = paused(answered(sla, after(5)), policy, after(40))
    expect(waiting).toMatchObject({ consumed_ms: 40 * MINUTE_MS, running_since: null, resolution_due_at: null })
    expect(nextLook(waiting, policy, after(40))).toBeUndefined()
    expect(observed(waiting, after(5_000)).status).toBe('active')
    const going = resumed(waiting, policy, after(1_000))
    expect(going).toMatchObject({ resolution_due_at: at(1_060), first_response_due_at: null })
    expect(nextLook(going, policy, after(1_000))).toBe(at(1_040))
  })

  test('a pause does not hide what ran out before it', () => {
    expect(paused(sla, policy, after(120)).breaches).toEqual(['first_response', 'resolution'])
  })

  test('another policy keeps what was used up', () => {
    const slow = retargeted(sla, policy, slower, after(60))
    expect(slow).toMatchObject({ policy_id: 'sla_slower', consumed_ms: 60 * MINUTE_MS, resolution_due_at: at(200) })
    expect(retargeted(slow, slower, slower, after(70))).toBe(slow)
  })

  test('another policy while nobody can work starts no clock', () => {
    const changed = retargeted(paused(sla, policy, after(5)), policy, slower, after(50))
    expect(changed).toMatchObject({ policy_id: 'sla_slower', running_since: null, resolution_due_at: null })
    expect(resumed(changed, slower, after(100)).resolution_due_at).toBe(at(295))
  })

  test('an end stops everything, and work that is taken up again goes on', () => {
    const done = ended(sla, policy, after(5), 'done')
    expect(nextLook(done, policy, after(5))).toBeUndefined()
    expect(resumed(done, policy, after(500))).toMatchObject({ status: 'active', resolution_due_at: at(595) })
    expect(ended(sla, policy, after(500), 'dropped').status).toBe('none')
  })

  test('each escalation and each miss is dealt with once', () => {
    const first = dealtWith(sla, policy, after(90))
    expect(first).toMatchObject({ missed: ['first_response'], escalations: [{ after_percent: 80 }] })
    expect(dealtWith(first.sla, policy, after(90))).toEqual({ sla: first.sla, missed: [], escalations: [] })
    expect(nextLook(first.sla, policy, after(90))).toBe(at(100))
    const second = dealtWith(first.sla, policy, after(200))
    expect(second).toMatchObject({ missed: ['resolution'], escalations: [{ after_percent: 150 }] })
    expect(second.sla).toMatchObject({ escalated: [80, 150], breaches: ['first_response', 'resolution'] })
    expect(nextLook(second.sla, policy, after(200))).toBeUndefined()
  })

  test('a miss that a change found is still to be dealt with, even after the end', () => {
    const done = ended(sla, policy, after(20), 'done')
    expect(nextLook(done, policy, after(20))).toBe(at(20))
    expect(dealtWith(done, policy, after(21))).toMatchObject({ missed: ['first_response'], escalations: [] })
  })

  test('an escalation that was made is not made again because the time moves', () => {
    const { sla: once } = dealtWith(answered(sla, START), policy, after(80))
    const later = resumed(paused(once, policy, after(81)), policy, after(500))
    expect(nextLook(later, policy, after(500))).toBe(at(519))
    expect(dealtWith(later, policy, after(518))).toMatchObject({ missed: [], escalations: [] })
  })

  test('what is shown follows the time', () => {
    expect(slaView(sla, after(9))).toMatchObject({ status: 'active', breaches: [], escalated: [] })
    expect(slaView(sla, after(100))).toMatchObject({ status: 'active_with_misses' })
  })
})

describe('the policies of the deployment', () => {
  test('are well formed, and one is the default', () => {
    expect(SLA_POLICIES.map((one) => SlaPolicy.parse(one))).toEqual(SLA_POLICIES)
    expect(SLA_POLICIES.filter(({ is_default }) => is_default)).toHaveLength(1)
  })

  test.each([
    [{ kind: 'approval', tier: 'HARD' }, 'approvals-hard'],
    [{ kind: 'approval', priority: 'urgent' }, 'approvals-urgent'],
    [{ kind: 'approval', priority: 'low' }, 'default'],
    [{ kind: 'incident_step', priority: 'urgent' }, 'incidents-sev1'],
    [{ kind: 'incident_step', priority: 'high' }, 'default'],
    [{ kind: 'remediation', priority: 'urgent' }, 'compliance-remediation'],
    [{ kind: 'general' }, 'default'],
  ] as const)('%o is under %s', (work, name) => {
    expect(slaPolicyFor(work).name).toBe(name)
  })

  test('the first of two that fit equally well counts', () => {
    expect(policyFor([policy, slower], { kind: 'general' })).toBe(policy)
    expect(() => policyFor([], { kind: 'general' })).toThrow('default')
  })

  test('one that was dropped counts like the default', () => {
    expect(slaPolicy('sla_gone').name).toBe('default')
    expect(slaPolicy('sla_approvals-urgent').name).toBe('approvals-urgent')
  })
})
