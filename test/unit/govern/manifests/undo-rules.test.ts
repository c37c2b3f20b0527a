import { describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../../shared/govern/governance/settings.ts'
import { areInverse, describeActions, undoViolations } from '../../../../shared/govern/manifests/describe.ts'
import { type Endpoint, registrationBody } from '../../../../shared/govern/manifests/manifest.ts'

describe('names of exact inverses', () => {
  test.each([
    ['create_user', 'delete_user'],
    ['delete_user', 'create_user'],
    ['addTag', 'removeTag'],
    ['add_user_to_team', 'remove_user_from_team'],
    ['enable-feature', 'disable-feature'],
    ['tickets.open', 'tickets.close'],
    ['grant_role', 'revoke_role'],
    ['lock_door', 'unlock_door'],
    ['start_job', 'stop_job'],
    ['schedule_call', 'cancel_call'],
    ['attach_file', 'detach_file'],
  ])('%s and %s', (one, other) => {
    expect(areInverse(one, other)).toBe(true)
  })

  test.each([
    ['create_user', 'delete_account'],
    ['create_user', 'delete_user_data'],
    ['create_user', 'delete_users'],
    ['create_user', 'remove_user'],
    ['create_user', 'create_user'],
    ['update_user', 'restore_user'],
    ['create_delete', 'delete_create'],
    ['to', 'from'],
  ])('not %s and %s', (one, other) => {
    expect(areInverse(one, other)).toBe(false)
  })
})

const target = { type: 'http', url: 'https://api.example.com' }
const undo = { exact_inverse: true, id_from: '/id' } as const
const registered = (...endpoints: object[]) =>
  registrationBody.safeParse({
    manifest: { protocol_version: '1.0', node: { id: 'crm.users.editor', name: 'Users', version: '1.0.0', endpoints } },
  })
const problems = (changes: object, inverse = 'delete_user') => {
  const made = { action_id: 'create_user', target, undo_action_id: inverse, undo, ...changes }
  const { error } = registered(made, { action_id: inverse })
  return error?.issues.map(({ path, message }) => `${path.slice(4).join('.')}: ${message}`) ?? []
}

describe('a pair that is marked as exact inverses', () => {
  test('may be registered', () => {
    expect(problems({})).toEqual([])
    expect(problems({ undo: { exact_inverse: true, id_from: '/rooms/0/id' } })).toEqual([])
  })

  test.each([
    [{ undo_action_id: undefined }, 'undo: goes with undo_action_id'],
    [{ target: undefined }, 'undo: needs a target, whose output names what was made'],
    [{ undo: { ...undo, id_from: 'id' } }, 'undo.id_from: must be a JSON pointer without *'],
    [{ undo: { ...undo, id_from: '/*/id' } }, 'undo.id_from: must be a JSON pointer without *'],
  ])('%j is refused: %s', (changes, problem) => {
    expect(problems(changes)).toEqual([problem])
  })

  test('is named as one', () => {
    expect(problems({}, 'delete_account')).toEqual([
      'undo.exact_inverse: create_user and delete_account are not named as inverses, as create_x and delete_x are',
    ])
  })

  test.each([[{ exact_inverse: false, id_from: '/id' }], [{ exact_inverse: true }], [{ id_from: '/id' }]])(
    'has both members: %j',
    (given) => {
      expect(problems({ undo: given })).not.toEqual([])
    },
  )
})

describe('undo actions of a HARD kind', () => {
  const violations = (endpoints: Endpoint[], kindIsVouched = false) => {
    const manifest = {
      protocol_version: '1.0' as const,
      node: { id: 'crm.users.editor', name: 'Users', version: '1.0.0', endpoints },
    }
    const { actions } = describeActions(manifest, { settings: DEFAULT_SETTINGS, kindIsVouched })
    return undoViolations(manifest.node, actions)
  }

  test.each(['delete_user', 'send_mail', 'refund_payment', 'run_script', 'frobnicate'])('%s is refused', (name) => {
    expect(violations([{ action_id: 'create_user', undo_action_id: name }, { action_id: name }])).toEqual([
      {
        loc: ['body', 'manifest', 'node', 'endpoints', 0, 'undo_action_id'],
        msg: expect.stringMatching(new RegExp(`^${name} is read as \\w+, which a person must approve.*exact_inverse`)),
        type: 'value_error',
      },
    ])
  })

  test('pass as an exact inverse, and where a person vouches for a milder kind', () => {
    const made: Endpoint = { action_id: 'create_user', undo_action_id: 'delete_user' }

    expect(violations([{ ...made, undo }, { action_id: 'delete_user' }])).toEqual([])
    const reverted: Endpoint[] = [
      { action_id: 'update_user', undo_action_id: 'revert_user' },
      { action_id: 'revert_user', kind: 'update' },
    ]
    expect([violations(reverted).length, violations(reverted, true).length]).toEqual([1, 0])
  })
})
