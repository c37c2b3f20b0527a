// Name, description and wire are witnesses of what an action does. AUTO needs every present one to read, and the name to read to
// its end, or two others to.
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../../../shared/govern/manifests/manifest.ts'
import { classified, NODE } from './make.ts'

const called = (method: 'GET' | 'PUT'): Endpoint['target'] => ({
  type: 'connection',
  connector_id: 'acme',
  method,
  path: '/v1/things',
  params: [],
})
const reading = called('GET')
const tierOf = (name: string, description?: string, more: Parameters<typeof classified>[1] = {}) =>
  classified(name, { ...(description && { description }), ...more }).tier

describe('a verb of a description that is not known to read vetoes, by its position', () => {
  test.each([
    'Sounds the alarm.',
    'Triggers the sprinklers.',
    'Books revenue.',
    'Charges cards.',
    'A tool that rings the bell.',
    'Gives Bob admin.',
    'Performs a factory reset.',
    'Provides access to the vault.',
    'Determine and apply the price.',
    'The widget is deleted.',
    'Deletion of the widget.',
    'Gets the widget by deleting the index.',
    'Opens the valve.',
    'Frobnicates widgets.',
    'Frobnicate the widget.',
    'Lists the widgets and frobnicates them.',
    'List the widgets, then frobnicate the pods.',
    'Gets the widget. Then frobnicates it.',
    'Gets the widget. Frobnicates the index.',
    'Executes the audit cleanup.',
    'Runs the report deletion.',
    'Runs a list of scripts.',
    'Takes a payment.',
    'Captures the payment.',
    'Takes a screenshot and mails it.',
    'Allows you to delete the widget.',
    'Allows you to frobnicate the widget.',
    'Tools for deleting widgets.',
    'Gets the state, provisioning accounts.',
    'Elimina los widgets.',
    'Executes a query, then frobnicates the index.',
    'Opens a big, deletes the small.',
  ])('%j holds get_widget', (description) => {
    expect(tierOf('get_widget', description)).toBe('HARD')
  })

  test.each([
    'Details of a widget.',
    'Messages sent by a user.',
    'Orders of a customer.',
    'Widgets of the last week, newest first.',
    'Provides an overview of the widgets.',
    'Performs a health check.',
    'Gives a summary of the widgets.',
    'Lists the widgets that are deleted.',
    'Gets a widget. Requires the scope widgets:read. Supports the usual filters.',
    'Gets the widgets (cards, UPI) of a customer as a list, with status and owner.',
    'Retrieves individual records (one row each) of a table.',
    'Executes a search query against the index.',
    'Executes a safe, read-only query.',
    'Takes a screenshot of the page.',
    'Allows you to view the widget.',
    'Tools for listing widgets.',
    'Gets the kind, the size, and provisioning state.',
    'Los widgets de un cliente.',
    '',
  ])('%j leaves get_widget AUTO', (description) => {
    expect(tierOf('get_widget', description)).toBe('AUTO')
  })
})

describe('the purpose counts', () => {
  test.each([
    'Looks up the account to get funds transferred.',
    'Finds the order to cancel the shipment.',
    'Gets the invoice paid.',
  ])('%j', (description) => {
    expect(tierOf('get_widget', description)).toBe('HARD')
  })

  test.each(['Gets the details needed to delete a widget.', 'Shows how to cancel an order.'])(
    '%j reads',
    (description) => {
      expect(tierOf('get_widget', description)).toBe('AUTO')
    },
  )
})

const returns = (thing: string) => `Returns the ${thing} of an account.`

describe('a name that says nothing', () => {
  const described = 'Returns the zorbexes of an account.'

  test('needs description and wire', () => {
    expect(tierOf('zorbex', described, { target: reading })).toBe('AUTO')
    expect(tierOf('zorbex', described)).toBe('HARD')
    expect(tierOf('zorbex', undefined, { target: reading })).toBe('HARD')
    expect(tierOf('zorbex', 'Frobnicates the zorbexes.', { target: reading })).toBe('HARD')
  })

  test('takes readOnlyHint for the wire only from a server that a person vouched for', () => {
    const annotations = { readOnlyHint: true }

    expect(tierOf('zorbex', described, { annotations, kindIsVouched: true })).toBe('AUTO')
    expect(tierOf('zorbex', described, { annotations })).toBe('HARD')
  })

  test.each(['zorbex_cancel', 'nuke', 'zorbex_and_wibble', 'deletion'])('is not %s', (name) => {
    expect(tierOf(name, described, { target: reading })).not.toBe('AUTO')
  })
})

describe('a name of things', () => {
  const described = 'Returns the things of an account.'

  test.each([
    'usage_by_contract',
    'billing_usage_by_product',
    'testplan',
    'backlog_of_sprint',
    'get_salary_and_wage',
    'asset_categories_by_type',
    'conversation_replies',
  ])('%s reads where the description does', (name) => {
    expect(tierOf(name, described)).toBe('AUTO')
    expect(tierOf(name, 'Frobnicates things.')).toBe('HARD')
  })

  test.each([
    'zorbex_by_contract',
    'diskwipe',
    'usage_by_contract_and_yeet',
    'contract_deletion',
    'backlog_zorbex',
    'conversation_reply',
    'user_passwords',
    'account_token',
    'database_connection_string',
  ])('%s does not', (name) => {
    expect(tierOf(name, described)).toBe('HARD')
  })
})

describe('a verb that reads some objects only', () => {
  test.each(['resolve_username', 'resolve-library-id', 'convert_time', 'take_screenshot', 'check_can_delete_monitor'])(
    '%s reads',
    (name) => {
      expect(tierOf(name, 'Returns a thing.')).toBe('AUTO')
    },
  )

  test.each([
    'resolve_issue',
    'resolve_alert_by_id',
    'resolve_username_conflict',
    'convert_lead',
    'take_snapshot',
    'take_payment',
    'can_delete_monitor',
    'check_can_and_delete',
    'check_delete_can',
  ])('%s does not', (name) => {
    expect(tierOf(name, 'Returns a thing.')).not.toBe('AUTO')
  })
})

describe('what is generated', () => {
  const vouched = { annotations: { readOnlyHint: true }, kindIsVouched: true }

  test('is read where description and wire say so', () => {
    expect(tierOf('generate_report', 'Generates a report.', vouched)).toBe('AUTO')
    expect(tierOf('generate_report', 'Generates a report.')).toBe('SOFT')
    expect(tierOf('generate_report', undefined, vouched)).toBe('SOFT')
    expect(tierOf('generate_report', 'Generates an invoice.', vouched)).toBe('SOFT')
  })

  test.each(['generate_api_key', 'generate_and_send_report', 'generate_report_deletion', 'generate_payment'])(
    '%s stays an act, or a secret',
    (name) => {
      expect(tierOf(name, 'Generates a report.', vouched)).toBe('HARD')
    },
  )
})

test('a query in the description leaves a name that says nothing only where it cannot write', () => {
  expect(tierOf('board_zorbex_query', 'Executes a query against a cluster.')).toBe('HARD')
  expect(tierOf('board_zorbex_query', 'Executes a read-only query against a cluster.')).toBe('AUTO')
})

describe('a word that is a noun as often, in a name that description and wire explain', () => {
  test.each(['transaction_totals', 'user_permission', 'account_charges', 'paymentRequest_list'])('%s reads', (name) => {
    expect(tierOf(name, returns('thing'), { target: reading })).toBe('AUTO')
    expect(tierOf(name, 'Frobnicates the thing.', { target: reading })).toBe('HARD')
  })

  test.each([
    'charge_account',
    'account_charge',
    'order_zorbex',
    'db_drop_tables',
    'users_reset_all',
    'transaction_cancel',
    'user_permission_and_role_grant',
  ])('%s may be an act', (name) => {
    expect(tierOf(name, returns('thing'), { target: reading })).toBe('HARD')
  })
})

test('a secret that the description returns is one', () => {
  expect(tierOf('get_widget', 'Gets a verification code.')).toBe('HARD')
  expect(tierOf('get_widget', 'Gets the private key of an account.')).toBe('HARD')
  expect(tierOf('get_widget', 'Gets the details of a private key.')).toBe('AUTO')
  expect(tierOf('decrypt_widget', 'Returns a widget.')).toBe('HARD')
})

test('description and wire do not excuse a secret in the name', () => {
  expect(tierOf('zorbex_connection_string', returns('zorbex'), { target: reading })).toBe('HARD')
  expect(tierOf('zorbex_thing', returns('zorbex'), { target: reading })).toBe('AUTO')
})

test('a wire that writes holds a name and a description that read', () => {
  expect(tierOf('get_thing', 'Gets a thing.', { target: called('PUT') })).toBe('SOFT')
})

describe('a product in front of the names is no verb', () => {
  const endpoints = (...names: string[]) => names.map((action_id) => ({ action_id }))

  test.each(['compute_disk_update', 'monitor_webtest_createorupdate', 'compute_vm_power_state'])('%s acts', (name) => {
    expect(tierOf(name)).not.toBe('AUTO')
  })

  test('what all actions of a node begin with is a product', () => {
    const node = { ...NODE, endpoints: endpoints('zorbex_disk_list', 'zorbex_disk_get', 'zorbex_disk_grow') }

    expect(tierOf('zorbex_list_plonks', undefined, { node })).toBe('AUTO')
    expect(tierOf('zorbex_list_plonks')).toBe('HARD')
    expect(tierOf('zorbex_grow', undefined, { node })).toBe('HARD')
    expect(tierOf('audit_disk', undefined, { node: { endpoints: endpoints('audit_a', 'audit_b', 'audit_c') } })).toBe(
      'HARD',
    )
  })

  test('a verb that all of them share stays one', () => {
    const deleting = { ...NODE, endpoints: endpoints('delete_a', 'delete_b', 'delete_list') }
    const getting = { ...NODE, endpoints: endpoints('get_a', 'get_b', 'get_c') }

    expect(tierOf('delete_list', undefined, { node: deleting })).toBe('HARD')
    expect(tierOf('get_a', undefined, { node: getting })).toBe('AUTO')
  })
})

describe('a method in front of the name of an operation', () => {
  test('is left to the wire where name and description read', () => {
    expect(tierOf('post-getTaxForm', 'Returns a tax form.')).toBe('AUTO')
    expect(tierOf('post-getTaxForm')).toBe('HARD')
    expect(tierOf('post-message', 'Returns a message.')).toBe('HARD')
  })
})

describe('acts that are no small change', () => {
  test.each([
    ['power-off-by-tag', 'destructive'],
    ['droplet_power_cycle', 'destructive'],
    ['add_user_to_group', 'permission'],
    ['add_team_member', 'permission'],
    ['edit_admin_rights', 'permission'],
    ['create_admin', 'permission'],
    ['update_function_code', 'deploy'],
    ['patch_server', 'deploy'],
    ['create_settlement', 'payment'],
    ['create_pay_run', 'payment'],
    ['get_funds_transferred', 'unknown'],
    ['get_site_down', 'unknown'],
    ['git_fetch', 'update'],
  ] as const)('%s is %s', (name, kind) => {
    expect(classified(name).kind).toBe(kind)
  })

  test.each(['get_pay_run', 'list_admins', 'get_team_member', 'get_function_code'])('%s reads', (name) => {
    expect(tierOf(name)).toBe('AUTO')
  })
})
