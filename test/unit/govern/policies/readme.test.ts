// The page for people who write policies: its examples are policies, and its table names every fact and operator.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FACTS } from '../../../../shared/govern/governance/fact-list.ts'
import { OPS } from '../../../../shared/govern/governance/operators.ts'
import { PolicyBody } from '../../../../shared/govern/governance/policy.ts'
import { checkPolicy } from '../../../../shared/govern/governance/policy-check.ts'
import { ROOT } from '../../../architecture/support/source.ts'

const page = readFileSync(join(ROOT, 'shared/govern/policies/README.md'), 'utf8')
const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']): unknown => JSON.parse(text))
const codes = [...page.matchAll(/`([^`]+)`/g)].flatMap(([, text = '']) => text.split(' '))

describe('the examples of the page', () => {
  test('are five', () => {
    expect(examples).toHaveLength(5)
  })

  test.each(examples)('%j passes the validator without a finding or a warning', (example) => {
    const body = PolicyBody.parse(example)
    const groupProblem = (group: string) => (group === 'role:admin' ? undefined : 'is no group')

    expect(checkPolicy(body, { existing: [], groupProblem, eligible: () => 5 })).toEqual({
      violations: [],
      warnings: [],
    })
  })

  test('a broken example would be found', () => {
    const broken = { ...(examples[0] as object), tier: 'HARD' }

    expect(checkPolicy(PolicyBody.parse(broken), { existing: [] }).violations).toHaveLength(1)
  })
})

test('every fact is named', () => {
  expect(Object.keys(FACTS).filter((name) => !codes.includes(name))).toEqual([])
})

test('every operator is named', () => {
  expect(OPS.filter((op) => !codes.includes(op))).toEqual([])
})

test('every field of a policy is named', () => {
  const fields = Object.keys(PolicyBody.shape).filter((name) => name !== 'version' && name !== 'policy_id')

  expect(fields.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
})
