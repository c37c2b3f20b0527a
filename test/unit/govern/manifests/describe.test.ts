import { expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../../shared/govern/governance/settings.ts'
import { describeActions } from '../../../../shared/govern/manifests/describe.ts'
import type { Endpoint, Manifest } from '../../../../shared/govern/manifests/manifest.ts'

const manifestOf = (...endpoints: Endpoint[]): Manifest => ({
  protocol_version: '1.0',
  node: { id: 'crm.contacts.editor', name: 'Contacts', version: '1.0.0', endpoints },
})
const described = (...endpoints: Endpoint[]) =>
  describeActions(manifestOf(...endpoints), { settings: DEFAULT_SETTINGS })

test('each action is told with kind, tier, floor and reasons, in order', () => {
  expect(described({ action_id: 'update_contact' }, { action_id: 'delete_contact', approval_required: true })).toEqual({
    actions: [
      {
        action_id: 'update_contact',
        kind: 'update',
        tier: 'SOFT',
        floor: 'AUTO',
        reasons: [{ signal: 'verb', value: 'update', floor: 'SOFT' }],
      },
      {
        action_id: 'delete_contact',
        kind: 'delete',
        tier: 'HARD',
        floor: 'HARD',
        reasons: [
          { signal: 'verb', value: 'delete', floor: 'HARD' },
          { signal: 'approval_required', floor: 'HARD' },
        ],
      },
    ],
    warnings: [],
  })
})

const target = { type: 'http' as const, url: 'https://api.example.com' }

const WARNED: [Endpoint, string][] = [
  [{ action_id: 'frobnicate' }, 'no known verb'],
  [{ action_id: 'delete_contact', kind: 'read' }, 'kind read is looser'],
  [{ action_id: 'send_message', annotations: { readOnlyHint: true } }, 'readOnlyHint'],
  [{ action_id: 'update_contact', target }, 'undo_action_id is missing'],
]

test.each(WARNED)('%j warns: %s', (endpoint, warning) => {
  expect(described(endpoint).warnings).toEqual([expect.stringContaining(warning)])
})

test('an undo that will wait for approval is warned of', () => {
  const undo = { exact_inverse: true, id_from: '/id' } as const
  const warned = (restore: Partial<Endpoint>, exact = false) =>
    described(
      { action_id: 'add_user', undo_action_id: 'remove_user', ...(exact && { undo }) },
      { action_id: 'remove_user', ...restore },
    ).warnings

  const warning = 'add_user: its undo waits for approval, because remove_user asks for one'
  expect([warned({}, true), warned({ approval_required: true }, true)]).toEqual([[], [warning]])
  expect([warned({}), warned({ min_tier: 'HARD' }, true)]).toEqual([[warning], [warning]])
})

test('a vouched kind counts and does not warn', () => {
  const manifest = manifestOf({ action_id: 'execute_query', kind: 'search' })
  const { actions, warnings } = describeActions(manifest, { settings: DEFAULT_SETTINGS, kindIsVouched: true })

  expect([actions[0]?.kind, actions[0]?.tier, warnings]).toEqual(['search', 'AUTO', []])
})
