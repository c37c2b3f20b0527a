import { expect, test } from 'vitest'
import { factRow, FACTS } from '../../../../shared/govern/governance/conditions/fact-list.ts'
import { calendarOf, factsOf } from '../../../../shared/govern/governance/decide/policy-facts.ts'
import type { ConnectionTarget } from '../../../../shared/govern/manifests/connection-target.ts'
import type { Endpoint } from '../../../../shared/govern/manifests/manifest.ts'
import { classified, NODE } from './make.ts'

/** The closed list as it is written down. */
const LIST = `action.id action.kind action.base_tier action.risk action.confidence action.reversible action.idempotent
  target.host target.method node.id node.category node.owner node.version node.listing_tier node.environment principal.type principal.id principal.roles
  agent.id agent.bound agent.trust agent.executions agent.hours_known request.tier request.require_approval request.persona_key
  request.decision_contract_id request.ip request.country request.allow_listed request.time request.hour_utc request.weekday_utc
  request.repeated request.refused signals.amount signals.currency
  signals.recipients signals.recipient_domains signals.external_domains signals.url_hosts signals.bulk_count signals.wildcard signals.sql_write signals.shell
  signals.secrets signals.pii tenant.plan`.split(/\s+/)

test('the list of facts is closed', () => {
  expect(Object.keys(FACTS).toSorted()).toEqual(LIST.toSorted())
})

test.each([
  ['context.ticket', true],
  ['payload./a/b', true],
  ['payload.a', false],
  ['context.', false],
  ['toString', false],
  ['constructor', false],
])('%s is a field that conditions may name: %s', (field, known) => {
  expect(factRow(field) !== undefined).toBe(known)
})

test.each([
  ['1970-01-01T00:00:00.000Z', 0, 4],
  ['2026-11-21T23:59:59.999Z', 23, 6],
  ['2026-11-22T00:00:00.000Z', 0, 7],
  ['2024-02-29T12:30:00.000Z', 12, 4],
  ['2026-11-23T05:00:00.000Z', 5, 1],
])('%s is hour %i of weekday %i', (at, hour, weekday) => {
  expect(calendarOf(Date.parse(at))).toEqual({ hour, weekday })
})

const payload = { amount: 12, currency: 'EUR', to: 'bob@partner.example' }
const target: Endpoint['target'] = { type: 'http', url: 'https://CRM.example:8443/run', method: 'PUT' }
const endpoint = { action_id: 'update_contact', undo_action_id: 'restore_contact', idempotency: true, target }
const circumstances = {
  node: { ...NODE, category: 'crm', owner: 'sales' },
  environment: 'production',
  endpoint,
  listing_tier: 'production',
  classification: classified('update_contact', { ...endpoint, payload }),
  principal: { type: 'api_key', id: 'key_1', roles: ['developer'] },
  agent: { id: 'agt_1', bound: true },
  standing: { trust: 70, executions: 12, hours_known: 5 },
  request: {
    at: 0,
    tier: 'SOFT',
    persona_key: 'cautious',
    decision_contract_id: 7,
    ip: '192.0.2.1',
    country: 'DE',
    allow_listed: true,
    repeated: 240,
    refused: 600,
  },
  plan: 'team',
  payload,
} as const

test('every fact of the list has a value when everything is known', () => {
  const { named } = factsOf(circumstances)

  expect(Object.keys(named).toSorted()).toEqual(LIST.toSorted())
  expect(Object.entries(named).filter(([, value]) => value === undefined)).toEqual([])
  expect(named).toMatchObject({
    'action.kind': 'update',
    'action.base_tier': 'SOFT',
    'action.reversible': true,
    'action.idempotent': true,
    'request.require_approval': false,
    'target.host': 'crm.example',
    'target.method': 'PUT',
    'signals.amount': 12,
    'signals.external_domains': ['partner.example'],
  })
})

const reversible = (changes: object) =>
  factsOf({ ...circumstances, endpoint: { ...endpoint, ...changes } }).named['action.reversible']

test('an irreversible action, and one without an undo action, is not reversible', () => {
  expect(reversible({ annotations: { irreversible: true } })).toBe(false)
  expect(reversible({ undo_action_id: undefined })).toBe(false)
})

test('an action that the service does not carry out, and one whose host nobody knows, have no host', () => {
  const connected: ConnectionTarget = { type: 'connection', connector_id: 'crm', method: 'GET', path: '/', params: [] }
  const factsAt = (to: Endpoint['target']) => factsOf({ ...circumstances, endpoint: { ...endpoint, target: to } }).named

  expect(factsAt(undefined)).toMatchObject({ 'target.host': undefined, 'target.method': undefined })
  expect(factsAt(connected)).toMatchObject({ 'target.host': undefined, 'target.method': 'GET' })
  expect(factsAt({ ...connected, host: 'api.example' })).toMatchObject({ 'target.host': 'api.example' })
})

test('an erased payload leaves no signals', () => {
  const { named } = factsOf({ ...circumstances, payload: undefined })

  expect(Object.keys(named).filter((name) => name.startsWith('signals.'))).toEqual([])
})
