import { describe, expect, test } from 'vitest'
import { KIND_NAMES } from '../../../../shared/base/catalog/kinds.ts'
import { grantOf, needsApprovalEach } from '../../../../shared/govern/governance/rule-terms.ts'
import { grantProblems } from '../../../../shared/govern/governance/checks/policy-check.ts'
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

  test.each([
    [{ free: ['/note', '/order/note'], at_most: ['/amount', '/max_rows'] }],
    [{ free: null, at_most: [] }],
    [{ free: ['/a~1b'] }],
  ])('may name members: %o', (named) => {
    expect([...grantProblems(policy({ ...GRANT, ...named }))]).toEqual([])
  })

  const MALFORMED = 'must be a JSON pointer to a member of objects, such as /note or /order/note'
  test.each([
    [{ free: [''] }, MALFORMED],
    [{ free: ['note'] }, MALFORMED],
    [{ free: ['/'] }, MALFORMED],
    [{ free: ['/a~2'] }, MALFORMED],
    [{ free: ['/lines/*/note'] }, MALFORMED],
    [{ at_most: ['/lines/0/amount'] }, MALFORMED],
    [{ free: ['/note', '/note'] }, 'is named already by /note'],
    [{ free: ['/note'], at_most: ['/note/length'] }, 'is named already by /note'],
    [{ free: ['/amount'] }, 'is an amount by its name; at_most may name it'],
    [{ free: ['/to'] }, 'is a recipient by its name; its value is always the approved one'],
    [{ free: ['/recipients/name'] }, 'is a recipient by its name; its value is always the approved one'],
    [{ free: ['/command'] }, 'is part of a program by its name; its value is always the approved one'],
    [{ free: ['/sql'] }, 'is part of a program by its name; its value is always the approved one'],
    [{ at_most: ['/user_id'] }, 'is a target by its name; its value is always the approved one'],
  ])('may not name %o', (named, message) => {
    expect([...grantProblems(policy({ ...GRANT, ...named }))].map((problem) => problem.message)).toContain(message)
  })

  test('is for no kind with a class floor, and for none that nobody knows', () => {
    const each = KIND_NAMES.filter(needsApprovalEach)
    expect(each).toEqual(['email', 'message_external', 'deploy', 'delete', 'payment'])
    expect(needsApprovalEach('yeet')).toBe(true)
  })
})

describe('what all policies permit', () => {
  test('is the smallest of each figure', () => {
    expect(grantOf([policy(GRANT), policy({ max_s: 3_600, max_uses: 2 })])).toEqual({
      max_s: 600,
      max_uses: 2,
      free: [],
      at_most: [],
    })
  })

  test('leaves free what each of them leaves free, and bounds what one of them bounds', () => {
    const first = policy({ ...GRANT, free: ['/text', '/note', '/rows'], at_most: ['/amount', '/depth'] })
    const second = policy({ ...GRANT, free: ['/note', '/depth', '/title'], at_most: ['/rows', '/amount'] })
    expect(grantOf([first, second])).toMatchObject({ free: ['/note'], at_most: ['/amount', '/depth', '/rows'] })
    expect(grantOf([first, policy(GRANT)])).toMatchObject({ free: [], at_most: [] })
  })

  test('is nothing where one of them permits none, or none asks', () => {
    expect(grantOf([policy(GRANT), policy(undefined)])).toBeUndefined()
    expect(grantOf([])).toBeUndefined()
  })
})
