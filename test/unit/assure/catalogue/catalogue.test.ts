import { describe, expect, test } from 'vitest'
import { CHECKS, catalogueHash, checksOf } from '../../../../shared/assure/catalogue/catalogue.ts'
import { aboutFramework, controlsOf, findControl, isAutomatic } from '../../../../shared/assure/catalogue/controls.ts'
import { controlKey, type FrameworkId, FRAMEWORK_IDS } from '../../../../shared/assure/catalogue/framework-ids.ts'

describe.each<
  [FrameworkId, { controls: number; families: number; checked: number; checks: number; automatic: number }]
>([
  ['soc2', { controls: 61, families: 13, checked: 39, checks: 48, automatic: 10 }],
  ['gdpr', { controls: 58, families: 6, checked: 26, checks: 43, automatic: 2 }],
  ['hipaa', { controls: 53, families: 5, checked: 29, checks: 41, automatic: 8 }],
  ['iso27001', { controls: 93, families: 4, checked: 43, checks: 48, automatic: 8 }],
  ['iso42001', { controls: 38, families: 9, checked: 16, checks: 27, automatic: 1 }],
  ['eu_ai_act', { controls: 52, families: 6, checked: 19, checks: 30, automatic: 0 }],
  ['nist_ai_rmf', { controls: 72, families: 4, checked: 21, checks: 33, automatic: 0 }],
])('the catalogue of %s', (framework, counts) => {
  const ids = controlsOf(framework).map(({ id }) => id)

  test('has as many controls, families and checks as published', () => {
    expect({
      controls: ids.length,
      families: aboutFramework(framework).families.length,
      checked: ids.filter((id) => checksOf(framework, id).length > 0).length,
      checks: CHECKS.filter(({ controls }) => (controls[framework] ?? []).length > 0).length,
      automatic: ids.filter((id) => isAutomatic(framework, id)).length,
    }).toEqual(counts)
  })

  test('gives each control a family, a short title and a key that OSCAL and a path can hold', () => {
    const families = new Set(aboutFramework(framework).families.map(({ id }) => id))
    const keys = ids.map(controlKey)

    expect(new Set(controlsOf(framework).map(({ family }) => family))).toEqual(families)
    expect(controlsOf(framework).filter(({ title }) => title.length > 90)).toEqual([])
    expect(new Set(keys).size).toBe(ids.length)
    expect(keys.filter((key) => !/^[a-z0-9][a-z0-9._-]*$/.test(key))).toEqual([])
    expect(keys.map((key) => findControl(framework, key)?.id)).toEqual(ids)
  })

  test('maps checks and automatic controls to controls that exist, and those to a check', () => {
    const mapped = new Set(CHECKS.flatMap(({ controls }) => controls[framework] ?? []))

    expect([...mapped].filter((id) => !ids.includes(id))).toEqual([])
    expect(ids.filter((id) => isAutomatic(framework, id) && !mapped.has(id))).toEqual([])
  })
})

test('the catalogue lists 427 controls and 48 checks, the frameworks of the specification first', () => {
  expect(FRAMEWORK_IDS.flatMap((framework) => controlsOf(framework))).toHaveLength(427)
  expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(48)
  expect(FRAMEWORK_IDS.slice(0, 4)).toEqual(['soc2', 'gdpr', 'hipaa', 'iso27001'])
})

test('the hash of the catalogue changes only with its content', () => {
  expect(catalogueHash()).toBe('f698ce2e83c87ca0478ac9052d13d515c123656f474c95948af74c802a7afed9')
})
