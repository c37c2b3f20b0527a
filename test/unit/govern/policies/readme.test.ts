// The page for people who write policies: its examples are policies, and its table names every fact and operator.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PolicyBody } from '../../../../shared/govern/governance/policy.ts'
import { checkPolicy } from '../../../../shared/govern/governance/checks/policy-check.ts'
import { reference } from '../../../../shared/govern/policies/reference.ts'
import { ROOT } from '../../../architecture/support/source.ts'

const PAGE = join(ROOT, 'shared/govern/policies/README.md')
const page = readFileSync(PAGE, 'utf8')
const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']): unknown => JSON.parse(text))

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

test('the reference is made from the tables of facts and operators', async () => {
  const [before = '', after = ''] = page.split(/(?<=<!-- Made by .* -->\n)[^]*(?=<!-- end -->)/)

  await expect(`${before}\n${reference()}\n\n${after}`).toMatchFileSnapshot(PAGE)
})

test('every field of a policy is named', () => {
  const fields = Object.keys(PolicyBody.shape).filter((name) => name !== 'version' && name !== 'policy_id')

  expect(fields.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([])
})
