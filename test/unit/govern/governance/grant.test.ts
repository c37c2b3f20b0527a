import { describe, expect, test } from 'vitest'
import { KIND_NAMES } from '../../../../shared/base/catalog/kinds.ts'
import { grantOf, grantProblems, needsApprovalEach } from '../../../../shared/govern/governance/grant.ts'
import { PolicyBody } from '../../../../shared/govern/governance/policy.ts'

const approval = (grant?: object) => ({ stages: [{ groups: ['any'] }], ...(grant && { grant }) })
const policy = (grant: object | undefined, action_kinds: string[] = []) =>
  PolicyBody.parse({ name: 'x', effect: 'require_approval', scope: { action_kinds }, approval: approval(grant) })
const GRANT = { max_s: 600, max_uses: 5 }

describe('the member grant', () => {
  test.each([
    [{ max_s: 59, max_uses: 1 }],
    [{ max_s: 28_801, max_uses: 1 }],
    [{ max_s: 60, max_uses: 0 }],
    [{ max_s: 60, max_uses: 101 }],
  ])('%o is out of range', (grant) => {
    expect(PolicyBody.safeParse({ name: 'x', effect: 'require_approval', approval: approval(grant) }).success).toBe(
      false,
    )
  })

  test.each<[string[], boolean]>([
    [['delete'], false],
    [['delete', 'pay*'], false],
    [['delete', 'update'], true],
    [['*'], true],
    [[], true],
  ])('on the kinds %o: allowed %s', (kinds, allowed) => {
    expect([...grantProblems(policy(GRANT, kinds))].length === 0).toBe(allowed)
  })

  test('is for no kind with a class floor, and for none that nobody knows', () => {
    const each = KIND_NAMES.filter(needsApprovalEach)
    expect(each).toEqual(['email', 'message_external', 'deploy', 'delete', 'payment'])
    expect(needsApprovalEach('yeet')).toBe(true)
  })
})

describe('what all policies permit', () => {
  test('is the smallest of each figure', () => {
    expect(grantOf([policy(GRANT), policy({ max_s: 3_600, max_uses: 2 })])).toEqual({ max_s: 600, max_uses: 2 })
  })

  test('is nothing where one of them permits none, or none asks', () => {
    expect(grantOf([policy(GRANT), policy(undefined)])).toBeUndefined()
    expect(grantOf([])).toBeUndefined()
  })
})
