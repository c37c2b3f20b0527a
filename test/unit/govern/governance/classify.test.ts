import { describe, expect, test } from 'vitest'
import { type Kind, KINDS } from '../../../../shared/base/catalog/kinds.ts'
import { classified } from './make.ts'

/** The verbs of the written table, by kind. */
const TABLE: [Kind, string][] = [
  ['read', 'get list read fetch view show describe lookup retrieve count return'],
  ['search', 'search find query browse'],
  ['diagnose', 'diagnose check inspect test validate verify ping'],
  ['analyse', 'analyse analyze compare diff summarize explain estimate forecast calculate preview'],
  ['monitor', 'monitor watch track observe'],
  ['suggest', 'suggest recommend propose draft'],
  ['notify', 'notify remind alert'],
  ['write', 'create add insert append save upload tag label assign comment copy schedule link'],
  ['update', 'update set edit patch rename move mark configure modify enable restore'],
  ['email', 'email mail'],
  ['message_external', 'send post publish message tweet sms call dial broadcast invite share reply forward'],
  ['delete', 'delete remove destroy drop purge wipe erase truncate clear empty uninstall'],
  ['payment', 'pay charge refund transfer withdraw purchase buy order checkout payout bill settle'],
  ['deploy', 'deploy release rollout rollback promote ship migrate'],
  [
    'destructive',
    'overwrite replace force reset terminate kill stop shutdown restart merge close cancel disable deactivate revert',
  ],
  ['execute', 'execute exec run invoke trigger eval shell script command'],
  ['permission', 'grant revoke permit authorize impersonate rotate lock unlock ban'],
]
const ROWS = TABLE.flatMap(([kind, verbs]) => verbs.split(' ').map((verb) => [verb, kind] as const))

test.each(ROWS)('%s_thing is read as %s, with its tier and class floor', (verb, kind) => {
  const { tier, base, floor, risk } = classified(`${verb}_thing`)

  expect(classified(`${verb}_thing`).kind).toBe(kind)
  expect({ tier, base, floor }).toEqual({
    tier: KINDS[kind].tier,
    base: KINDS[kind].tier,
    floor: KINDS[kind].classFloor,
  })
  expect(risk).toBe(KINDS[kind].risk)
})

test.each(['send', 'reply', 'forward'])('%s with an object mail, email or inbox is an e-mail', (verb) => {
  for (const object of ['mail', 'email', 'inbox', 'emails']) expect(classified(`${verb}_${object}`).kind).toBe('email')
})

describe('the verb of a name', () => {
  test.each([
    ['account_delete', 'delete'],
    ['users_list', 'read'],
    ['gmail.users.messages.list', 'read'],
    ['wiki_get_page', 'read'],
    ['chat_post_message', 'message_external'],
    ['get_order', 'read'],
    ['list_open_orders', 'read'],
    ['fetch_refund', 'read'],
    ['deleted_items_list', 'read'],
    ['issue_refund', 'payment'],
    ['create_payment', 'payment'],
    ['update_password', 'permission'],
    ['move_to_trash', 'delete'],
    ['get_or_create', 'write'],
    ['search_and_replace', 'destructive'],
    ['find_then_delete', 'delete'],
    ['list_and_read', 'read'],
    ['get_rid_of_file', 'delete'],
    ['teardown_stack', 'delete'],
    ['tear_down_stack', 'delete'],
    ['check_out_cart', 'payment'],
    ['sign_off_report', 'permission'],
    ['take_down_page', 'delete'],
    ['roll_back_release', 'deploy'],
    ['write_off_debt', 'payment'],
    ['hand_over_account', 'permission'],
    ['test_send_campaign', 'message_external'],
    ['bulk_delete_preview', 'delete'],
    ['get_empty_rows', 'read'],
    ['list_clear', 'delete'],
    ['monitor_stop', 'destructive'],
    ['makePayment', 'payment'],
  ] as const)('%s is read as %s', (name, kind) => {
    expect(classified(name).kind).toBe(kind)
  })

  test('nothing recognised is unknown and HARD', () => {
    const { kind, tier, reasons, confidence } = classified('frobnicate_widget')

    expect({ kind, tier, confidence }).toEqual({ kind: 'unknown', tier: 'HARD', confidence: 0 })
    expect(reasons).toEqual([{ signal: 'unknown_verb', floor: 'HARD' }])
  })

  test('an unknown action is SOFT only where the setting says so and an undo action exists', () => {
    const soft = { unknown_tier: 'SOFT' } as const

    expect(classified('frobnicate', { undo_action_id: 'x' }, soft).tier).toBe('SOFT')
    expect(classified('frobnicate', {}, soft).tier).toBe('HARD')
    expect(classified('frobnicate', { undo_action_id: 'x' }).tier).toBe('HARD')
  })
})

describe('the notify rule', () => {
  test.each(['send_notification', 'post_reminder', 'publish_alert', 'sendNotifications'])(
    '%s is a notification',
    (name) => {
      expect(classified(name)).toMatchObject({ kind: 'notify', tier: 'SOFT' })
    },
  )

  test.each([
    ['send_sms_notification', {}],
    ['send_notification', { description: 'Sends a notification to a customer.' }],
    ['send_notification', { node: { id: 'acme.slack.bot' } }],
    ['publish_alert', { description: 'Shows it on the public page.' }],
    ['send_payment_reminder', {}],
  ])('%s %j leaves the house', (name, action) => {
    expect(classified(name, action).tier).toBe('HARD')
  })
})

describe('the description', () => {
  test.each([
    ['Deletes the record.', 'delete'],
    ['This tool deletes a record.', 'delete'],
    ['Fetches a record, removes it from the cache and sends a report.', 'delete'],
    ['Read the file and then email it to the owner.', 'email'],
    ['Loads and deploys the build.', 'deploy'],
    ['Create, update or delete a record.', 'delete'],
  ])('%j raises a reading name to %s', (description, kind) => {
    expect(classified('get_record', { description }).kind).toBe(kind)
  })

  test.each([
    'Get name, email, and phone of a person.',
    'Lists orders, refunds and transfers.',
    'Returns the order by its id.',
    'Search for deleted items. Never deletes anything.',
    'Retrieves charges made by a card',
    '',
  ])('%j leaves a reading name AUTO', (description) => {
    expect(classified('get_record', { description }).tier).toBe('AUTO')
  })

  test.each([
    ['permanently', 'Updates it permanently.'],
    ['irreversible', 'This is irreversible.'],
    ['cannot be undone', 'Changes the name. This cannot be undone.'],
    ['can’t be undone', 'Changes the name. This can’t be undone.'],
  ])('%s makes an action that is not AUTO destructive', (_, description) => {
    expect(classified('update_name', { description }).kind).toBe('destructive')
    expect(classified('get_name', { description: 'Shows permanently stored names.' }).tier).toBe('AUTO')
    expect(classified('delete_name', { description }).kind).toBe('delete')
  })

  test.each(['frobnicate', 'delete_user', 'send_email', 'update_user'])('a harmless one does not lower %s', (name) => {
    const described = classified(name, { description: 'Reads a value, lists users and does nothing else.' })

    expect(described.tier).toBe(classified(name).tier)
    expect(described.kind).toBe(classified(name).kind)
  })
})

describe('the category', () => {
  test.each([
    [{ category: 'payment' }, 'payment'],
    [{ category: 'Billing' }, 'payment'],
    [{ id: 'acme.billing.core' }, 'payment'],
    [{ id: 'acme.mail.core' }, 'email'],
    [{ category: 'deployment' }, 'deploy'],
  ])('%j gives any acting verb its kind, and leaves reading ones alone', (node, kind) => {
    expect(classified('update_thing', { node }).kind).toBe(kind)
    expect(classified('frobnicate', { node }).kind).toBe(kind)
    expect(classified('get_thing', { node }).kind).toBe('read')
  })

  test('a higher kind stays', () => {
    expect(classified('delete_thing', { node: { category: 'mail' } }).kind).toBe('delete')
  })
})

describe('the declared kind', () => {
  test('counts at once when it is stricter', () => {
    expect(classified('get_thing', { kind: 'payment' })).toMatchObject({ kind: 'payment', tier: 'HARD', floor: 'HARD' })
  })

  test('does not count when it is looser and nobody vouches for it', () => {
    expect(classified('execute_query', { kind: 'read' }).kind).toBe('execute')
  })

  test.each(['share_link', 'execute_query', 'rotate_log', 'close_tab', 'update_view', 'frobnicate'])(
    'replaces the reading of %s when it is vouched for',
    (name) => {
      expect(classified(name, { kind: 'read', kindIsVouched: true })).toMatchObject({
        kind: 'read',
        tier: 'AUTO',
        floor: 'AUTO',
      })
    },
  )

  test.each(['send_email', 'delete_user', 'pay_invoice', 'deploy_app'])('never replaces the reading of %s', (name) => {
    expect(classified(name, { kind: 'read', kindIsVouched: true }).tier).toBe('HARD')
  })
})
