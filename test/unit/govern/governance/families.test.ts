// Families of names and descriptions: those that act though a reading word is in them, and those that only read without a verb.
import { describe, expect, test } from 'vitest'
import { classified } from './make.ts'

const spellings = (name: string) => [
  name,
  name.replaceAll('_', '-'),
  name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
]

const tiersOf = (name: string, description?: string) =>
  new Set(spellings(name).map((spelled) => classified(spelled, { ...(description && { description }) }).tier))

describe('a reading word that is a noun as often', () => {
  test.each([
    'failover_primary_compute',
    'nuke_test',
    'wire_money_check',
    'obliviate_report',
    'frobnicate_list',
    'rebalance_cluster_scan',
    'ueberweise_geld_test',
    'verschrotte_server_check',
    'transfiere_dinero_report',
    'fulminar_cuentas_test',
    'vire_argent_test',
    'pulverise_comptes_audit',
  ])('leaves %s held, in every spelling', (name) => {
    expect(tiersOf(name).has('AUTO')).toBe(false)
  })

  test('reads where the description reads in every sentence', () => {
    expect(tiersOf('zorbex_list', 'Lists the zorbexes. Results have pages.')).toEqual(new Set(['AUTO']))
    expect(tiersOf('zorbex_list', 'Lists the zorbexes. Then deletes them.').has('AUTO')).toBe(false)
    expect(tiersOf('zorbex_list', 'Lists the zorbexes. Then frobnicates them.').has('AUTO')).toBe(false)
    expect(tiersOf('zorbex_list', 'Frobnicates the zorbexes.').has('AUTO')).toBe(false)
  })

  test('reads behind words that are known to name things', () => {
    expect(tiersOf('repo_branches_list')).toEqual(new Set(['AUTO']))
    expect(tiersOf('wiki_search_pages')).toEqual(new Set(['AUTO']))
  })
})

describe('reading verbs that act on some objects', () => {
  test.each([
    'test_webhook',
    'TestFailover',
    'ping_webhook',
    'PollForTask',
    'return_order',
    'ReturnSavingsPlan',
    'verify_domain',
    'VerifyEmailIdentity',
  ])('%s does not run by itself', (name) => {
    expect(classified(name).tier).not.toBe('AUTO')
  })

  test.each(['test_regex', 'ping', 'poll_job_status', 'verify_signature', 'get_return_policy'])('%s reads', (name) => {
    expect(classified(name).tier).toBe('AUTO')
  })
})

describe('later sentences of a description', () => {
  test.each([
    ['Reads the file. Then deletes it.', 'delete'],
    ['Reads the file. Deletes it afterwards.', 'delete'],
    ['Returns the file. It also sends a copy to the owner.', 'message_external'],
    ['Gets the file. Then delete it.', 'delete'],
    ['Gets the file. This updates the index.', 'read'],
    ['Gets the file. Additionally creates a copy.', 'write'],
  ])('%j is read as %s', (description, kind) => {
    expect(classified('get_file', { description }).kind).toBe(kind)
  })

  test.each([
    'Lists the users. Use delete_user to remove one.',
    'Gets a page. Delete pages with another tool if you must.',
    'Lists the regions that the account has enabled. Call this first.',
    'Runs a health check of the service.',
    'Enables you to view the events of a trail.',
    'We recommend to call ListThings. Gets a thing.',
    'Describes the read and write permissions of a page.',
    'Generates a report of the costs.',
    'START HERE for the warehouse: list its tables.',
  ])('%j leaves a reading name AUTO', (description) => {
    expect(classified('get_thing', { description }).tier).toBe('AUTO')
  })
})

describe('names without a verb', () => {
  test.each([
    ['directory_tree', 'Returns a tree of files and folders.'],
    ['git_status', 'Shows the state of the working tree.'],
    ['whoami', 'Returns the present user.'],
    ['plan_details', 'Gets the details of a plan.'],
    ['pods_log', 'Gets the logs of a pod.'],
    ['table_schema', 'Describes the columns of a table.'],
    ['nodes_top', 'Lists what nodes consume.'],
    ['fleet_status', 'Retrieves the state of the fleet.'],
  ])('%s reads: %s', (name, description) => {
    expect(classified(name, { description }).tier).toBe('AUTO')
    expect(classified(name, { description: `${description} Then deletes it.` }).tier).toBe('HARD')
  })

  test.each(['payment', 'deletion_status', 'frobnicate', 'frobnicate_user', 'manage_event'])(
    'no description makes %s a read',
    (name) => {
      expect(classified(name, { description: 'Returns the thing.' }).tier).toBe('HARD')
    },
  )
})

describe('words of other trades inside names of readers', () => {
  test.each([
    'deploy_logs_get',
    'list_site_deploys',
    'get_apply_logs',
    'describe_create_case_options',
    'get_send_quota',
    'list_connect_peers',
    'list_app_connectors',
    'get_group_membership',
    'get_workflow_run',
    'transfer_get',
    'mail_get_message',
  ])('%s reads', (name) => {
    expect(classified(name).tier).toBe('AUTO')
  })

  test.each(['app_deploy', 'deploy_logs', 'get_and_deploy', 'transfer_list_items', 'connect', 'run_workflow'])(
    '%s does not run by itself',
    (name) => {
      expect(classified(name).tier).not.toBe('AUTO')
    },
  )
})
