import { DAY_MS, iso } from '../../../../shared/base/lib/clock.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CHECKS } from '../../../../shared/assure/catalogue/catalogue.ts'
import { controlsOf } from '../../../../shared/assure/catalogue/controls.ts'
import { FRAMEWORK_IDS, type FrameworkId } from '../../../../shared/assure/catalogue/framework-ids.ts'
import { CHECK_STATUSES, type CheckStatus } from '../../../../shared/assure/checks/check.ts'
import { assess, scopeOf } from '../../../../shared/assure/frameworks/assess.ts'
import { controlViews } from '../../../../shared/assure/frameworks/control-views.ts'
import { meanOf, nextActions, scoreOf } from '../../../../shared/assure/frameworks/next-actions.ts'
import { frameworkPosture, overallScore } from '../../../../shared/assure/frameworks/posture.ts'
import { ControlView, FrameworkPosture } from '../../../../shared/assure/frameworks/control-view.ts'
import { controlIds, justificationOf, linkOf, NOW, resultOf, settingOf, space, stateOf } from './make.ts'
import { statesOf } from '../../../../shared/assure/frameworks/state.ts'
import { runs } from '../../../support/runs.ts'

const ALL_PASS: Record<string, CheckStatus> = Object.fromEntries(CHECKS.map(({ id }) => [id, 'pass'] as const))
const postureOf = (...parts: Parameters<typeof stateOf>) => frameworkPosture(stateOf(...parts), [])
const everyLink = (framework: FrameworkId) => controlIds(framework).map((id) => linkOf(framework, id))

describe('a score', () => {
  test('weighs controls by their severity, and half counts for partially met', () => {
    expect(
      scoreOf([
        { severity: 'critical', status: 'met' },
        { severity: 'high', status: 'partially_met' },
        { severity: 'medium', status: 'not_met' },
        { severity: 'medium', status: 'not_assessed' },
        { severity: 'critical', status: 'not_applicable' },
      ]),
    ).toBe(57.1)
  })

  test('is 0 where nothing counts, and rounds halves up', () => {
    expect(scoreOf([{ severity: 'high', status: 'not_applicable' }])).toBe(0)
    expect(meanOf([])).toBe(0)
    expect(meanOf([0.1, 0.2])).toBe(0.2)
    expect(meanOf([57.1, 57.1, 57.2])).toBe(57.1)
  })

  test('of a tenant is the mean of its core frameworks; others count only where none of those is enabled', () => {
    const [core, ai] = [{ group: 'core', score: 40 } as const, { group: 'ai', score: 90 } as const]

    expect(overallScore([core, { ...core, score: 50 }, ai])).toBe(45)
    expect(overallScore([ai, { ...ai, score: 80 }])).toBe(85)
    expect(overallScore([])).toBe(0)
  })
})

describe('the status of a framework', () => {
  test('is compliant when all that counts is met and a full run is fresh', () => {
    const whole = { checks: ALL_PASS, links: everyLink('gdpr') }

    expect(postureOf('gdpr', whole)).toMatchObject({ status: 'compliant', score: 100, controls_met: 58, stale: false })
    for (const ranAt of [NOW - 26 * 3_600_000 - 1, null])
      expect(postureOf('gdpr', { ...whole, ranAt })).toMatchObject({ status: 'in_progress', score: 100, stale: true })
  })

  test('is non-compliant through a critical check, and in progress through any other', () => {
    const but = (id: string) => ({ checks: { ...ALL_PASS, [id]: 'fail' as const }, links: everyLink('soc2') })

    expect(postureOf('soc2', but('GOV-01'))).toMatchObject({ status: 'non_compliant', failing_checks: ['GOV-01'] })
    expect(postureOf('soc2', but('GOV-04'))).toMatchObject({ status: 'in_progress', failing_checks: ['GOV-04'] })
  })

  test.each(FRAMEWORK_IDS)('%s: with nothing found, nothing is met', (framework) => {
    const posture = postureOf(framework, { ranAt: null })

    expect(FrameworkPosture.parse(posture)).toMatchObject({ status: 'in_progress', score: 0, controls_met: 0 })
    expect(posture.controls_not_assessed).toBe(posture.controls_total)
  })
})

describe('the posture', () => {
  test('names what is left out, by scope and by justification', () => {
    const links = ['CC6.1', 'CC6.2'].map((id) => justificationOf('soc2', id))

    expect(postureOf('soc2', { links })).toMatchObject({
      controls_total: 31,
      controls_not_applicable: 2,
      controls_out_of_scope: 28,
    })
  })

  test('counts each piece of evidence that ends within 30 days once', () => {
    const soon = { valid_until: iso(NOW + 29 * DAY_MS) }
    const links = [
      linkOf('gdpr', '5(1)(a)', soon),
      linkOf('gdpr', '5(1)(b)', soon),
      linkOf('gdpr', '5(1)(b)', { evidence_id: 'evd_9', valid_until: iso(NOW + 31 * DAY_MS) }),
      linkOf('gdpr', '5(1)(b)', { ...soon, evidence_id: 'evd_8', status: 'superseded' }),
    ]

    expect(postureOf('gdpr', { links }).evidence_expiring_30d).toBe(1)
  })

  test('shows the points of 30 days, and a day without one as null', () => {
    const points = ['2026-10-22', '2026-10-21', '2026-11-20'].map((date) => ({ date, score: 12.5 }))
    const { trend } = frameworkPosture(stateOf('gdpr'), points)

    expect(trend).toHaveLength(30)
    expect(trend.filter(({ score }) => score !== null).map(({ date }) => date)).toEqual(['2026-10-22', '2026-11-20'])
  })

  test('takes families apart without losing a control', () => {
    const { families, controls_total } = postureOf('iso27001', { checks: ALL_PASS })
    const sum = families.flatMap((one) => [one.met, one.partially_met, one.not_met, one.not_assessed])

    expect(sum.reduce((total, count) => total + count, 0)).toBe(controls_total)
  })
})

const framework = fc.constantFrom(...FRAMEWORK_IDS)
const found = fc.record({
  checks: fc.dictionary(fc.constantFrom(...CHECKS.map(({ id }) => id)), fc.constantFrom(...CHECK_STATUSES)),
  evidence: fc.infiniteStream(fc.constantFrom('none', 'current', 'expired', 'justified')),
})

function stateFor(
  id: FrameworkId,
  { checks, evidence }: { checks: Record<string, CheckStatus>; evidence: Iterator<string> },
) {
  const links = controlIds(id).flatMap((control) => {
    const kind = evidence.next().value
    if (kind === 'justified') return [justificationOf(id, control)]
    return kind === 'current' || kind === 'expired' ? [linkOf(id, control, { status: kind })] : []
  })
  return stateOf(id, { checks, links })
}

describe('next actions', () => {
  test('raise the score by exactly their gain when they are carried out', () => {
    fc.assert(
      fc.property(framework, found, (id, facts) => {
        const state = stateFor(id, facts)
        const before = frameworkPosture(state, [])
        for (const action of nextActions(id, assess(state)).slice(0, 3)) {
          const { results, links } = state
          const [control = ''] = action.control_ids
          const after = action.check_id
            ? { ...state, results: new Map(results).set(action.check_id, resultOf(action.check_id, 'pass')) }
            : { ...state, links: new Map(links).set(linkOf(id, control).control_key, [linkOf(id, control)]) }
          expect(frameworkPosture(after, []).score).toBeCloseTo(before.score + action.gain, 9)
          expect(action.gain).toBeGreaterThan(0)
        }
      }),
      runs(60, 10),
    )
  })

  test('are ordered by gain, and each control shows the best of its own', () => {
    fc.assert(
      fc.property(framework, found, (id, facts) => {
        const state = stateFor(id, facts)
        const actions = nextActions(id, assess(state))
        expect(actions.map(({ gain }) => gain)).toEqual(actions.map(({ gain }) => gain).toSorted((a, b) => b - a))
        for (const { id: control, gain } of controlViews(state)) {
          const own = actions.filter(({ control_ids }) => control_ids.includes(control)).map((one) => one.gain)
          expect(gain).toBe(Math.max(0, ...own))
        }
      }),
      runs(30, 10),
    )
  })

  test('name the remedy of a check, and the kinds of evidence that serve a control', () => {
    const checks = { ...ALL_PASS, 'IAM-01': 'fail' } as const
    const expired = linkOf('soc2', 'CC3.1', { status: 'expired' })
    const all = nextActions('soc2', assess(stateOf('soc2', { checks, links: [expired] })))

    expect(all.find(({ action }) => action === 'fix_check')).toMatchObject({
      check_id: 'IAM-01',
      text: 'Set mfa-policy enforcement to required.',
    })
    expect(all.find(({ action }) => action === 'renew_evidence')).toMatchObject({
      control_ids: ['CC3.1'],
      kinds: ['risk_assessment'],
      text: 'Renew risk_assessment for CC3.1.',
    })
  })

  test('leave nothing to do where everything is met', () => {
    expect(postureOf('hipaa', { checks: ALL_PASS, links: everyLink('hipaa') }).next_actions).toEqual([])
  })
})

describe('the scope', () => {
  const tags = [...controlsOf('soc2'), ...controlsOf('hipaa'), ...controlsOf('eu_ai_act')].flatMap(
    ({ scope = [] }) => scope,
  )

  test('changes which controls count, and the status of no other control', () => {
    const scope = fc.dictionary(fc.constantFrom(...new Set(tags)), fc.boolean())
    fc.assert(
      fc.property(fc.constantFrom('soc2', 'hipaa', 'eu_ai_act'), found, scope, (id, facts, tagged) => {
        const was = stateFor(id, facts)
        const { setting } = was
        const next = { ...was, setting: setting && { ...setting, scope: tagged } }
        const [before, after] = [controlViews(was), controlViews(next)]
        const both = after.filter(({ in_scope }, index) => in_scope && before[index]?.in_scope)
        for (const { id: control, status } of both)
          expect(status).toBe(before.find((one) => one.id === control)?.status)
        expect(after.filter(({ in_scope, status }) => !in_scope && status !== 'not_applicable')).toEqual([])
      }),
      runs(60, 10),
    )
  })

  test.each([
    ['soc2', {}, 33],
    ['soc2', { privacy: true, availability: true }, 54],
    ['soc2', { availability: true, confidentiality: true, processing_integrity: true, privacy: true }, 61],
    ['hipaa', { group_health_plan: false, clearinghouse: false }, 50],
    ['eu_ai_act', {}, 16],
    ['eu_ai_act', { provider: true }, 52],
    ['eu_ai_act', { deployer: false }, 2],
  ] as const)('of %s with %j holds %i controls', (id, scope, total) => {
    expect(postureOf(id, { setting: { scope } }).controls_total).toBe(total)
  })

  test('shows every tag, and ignores one that the catalogue no longer has', () => {
    expect(scopeOf(stateOf('soc2', { setting: { scope: { privacy: true, former: true } } }))).toEqual({
      availability: false,
      confidentiality: false,
      processing_integrity: false,
      privacy: true,
    })
  })
})

describe('a control', () => {
  test('of a framework that is not enabled is not assessed, whatever was found', () => {
    const views = controlViews(
      stateOf('soc2', { setting: { enabled: false }, checks: ALL_PASS, links: everyLink('soc2') }),
    )

    expect(new Set(views.map(({ status, gain }) => `${status} ${gain}`))).toEqual(new Set(['not_assessed 0']))
  })

  test('does not rest on what was found long before its framework was enabled', () => {
    const foundAt = (hours: number) => {
      const enabled_at = iso(NOW)
      const result = resultOf('EVD-01', 'pass', { evaluated_at: iso(NOW - hours * 3_600_000) })
      const items = [
        { kind: 'FW', item: settingOf('soc2', { enabled_at }) },
        { kind: 'CHK', item: result },
      ] as const
      const [state] = statesOf(space, NOW, { items, links: [] })
      return state?.results.has('EVD-01')
    }

    expect([foundAt(25), foundAt(27)]).toEqual([true, false])
  })

  test('shows its evidence newest first, and who left it out and why', () => {
    const old = linkOf('soc2', 'CC6.1', {
      evidence_id: 'evd_0',
      collected_at: iso(NOW - 9 * DAY_MS),
      status: 'superseded',
    })
    const links = [old, linkOf('soc2', 'CC6.1'), justificationOf('soc2', 'CC6.2')]
    const views = controlViews(stateOf('soc2', { links }))

    expect(ControlView.array().parse(views)).toHaveLength(61)
    expect(views.find(({ id }) => id === 'CC6.1')?.evidence.map(({ id, status }) => [id, status])).toEqual([
      ['evd_1', 'current'],
      ['evd_0', 'superseded'],
    ])
    expect(views.find(({ id }) => id === 'CC6.2')).toMatchObject({
      status: 'not_applicable',
      status_reason: 'Not applicable: left out by the accepted justification evd_2.',
      applicability: { applicable: false, justification: 'Nothing of the kind is done here.', decided_by: 'usr_1' },
    })
  })
})
