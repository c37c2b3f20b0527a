import { ASKS, area, del, get, post, put, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/security/tenants/{tenant_id}/policies'
const reads = { access: 'policies:read', resource: 'policy' } as const

/** What loosens is asked for where no person makes it, so each of these may submit an action. */
const writes = {
  host: 'api',
  access: 'policies:write',
  resource: 'policy',
  rate: 'global',
  uses: ASKS.uses,
  evidence: ['policy.updated', 'action.requested'],
  emits: ['policy.updated', ...ASKS.emits],
  timeoutSeconds: 28,
} as const

const calendars = '/api/v1/security/tenants/{tenant_id}/calendars'
const calendar = {
  ...writes,
  resource: 'calendar',
  evidence: ['policy.calendar.updated', 'action.requested'],
  emits: ASKS.emits,
} as const

const lexicon = '/api/v1/security/tenants/{tenant_id}/lexicon'

const freezes = '/api/v1/security/tenants/{tenant_id}/freezes'
const freeze = { host: 'api', rate: 'global', resource: 'freeze', uses: [{ table: 'write' }] } as const
const readsFreezes = { access: 'executions:read', resource: 'freeze' } as const

export const security = area('security', {
  listPolicies: read(path, { ...reads, summary: 'Lists the security policies in force.' }),
  getPolicy: read(`${path}/{policy_id}`, { ...reads, summary: 'Shows a policy; `?version=` shows a former version.' }),
  listTemplates: read(`${path}/templates`, {
    ...reads,
    summary: 'Lists templates of policies, whose parameters a POST fills in.',
  }),
  policyReport: read(`${path}/{policy_id}/report`, {
    ...reads,
    summary: 'Tells what a policy did in a window, or what it would have done if it only watches.',
  }),
  policyUsage: read(`${path}/{policy_id}/usage`, {
    ...reads,
    summary: 'Tells how much of the limit of a policy is used, of one value of each key that it counts per.',
  }),
  savePolicy: post(path, {
    ...writes,
    success: 201,
    summary: 'Creates a policy, or with `policy_id` and `version` makes its next version.',
  }),
  auditLogs: get('/api/v1/security/tenants/{tenant_id}/audit-logs', {
    host: 'api',
    access: 'audit:read',
    rate: 'global',
    uses: [{ table: 'read' }],
    evidence: { none: 'reading is noted in the log itself' },
    summary:
      'Lists the audit log: who did what to whose rights and settings, and what was refused. `format=csv` for a file.',
  }),
  listCalendars: read(calendars, { ...reads, summary: 'Lists the calendars that the working hours of policies name.' }),
  getCalendar: read(`${calendars}/{name}`, { ...reads, resource: 'calendar', summary: 'Shows a calendar.' }),
  saveCalendar: put(`${calendars}/{name}`, { ...calendar, summary: 'Creates a calendar, or replaces its dates.' }),
  deleteCalendar: del(`${calendars}/{name}`, {
    ...calendar,
    uses: [{ table: 'write' }],
    evidence: 'policy.calendar.updated',
    emits: [],
    success: 204,
    summary: 'Deletes a calendar that no policy in force names.',
  }),
  getLexicon: read(lexicon, {
    access: 'policies:read',
    summary: 'Shows the words that the tenant has added to the lexicon of actions.',
  }),
  saveLexicon: put(lexicon, {
    ...writes,
    resource: 'lexicon',
    evidence: ['policy.lexicon.updated', 'action.requested'],
    summary: 'Replaces the words that the tenant has added to the lexicon of actions.',
  }),
  disablePolicy: post(`${path}/{policy_id}/disable`, {
    ...writes,
    summary: 'Takes a policy out of force. What loosens waits for a person, unless a person does it.',
  }),
  listFreezes: read(freezes, { ...readsFreezes, summary: 'Lists the freezes, those in force and those lifted.' }),
  getFreeze: read(`${freezes}/{freeze_id}`, {
    ...readsFreezes,
    summary: 'Shows a freeze: what it has stopped, and what waits for its end.',
  }),
  setFreeze: post(freezes, {
    ...freeze,
    whileUnverified: true,
    access: 'freezes:set',
    evidence: 'policy.freeze.set',
    emits: ['policy.frozen'],
    success: 201,
    summary: 'Freezes actions at once: of the tenant, of nodes, kinds, agents or callers.',
  }),
  liftFreeze: post(`${freezes}/{freeze_id}/lift`, {
    ...freeze,
    access: 'freezes:lift',
    evidence: 'policy.freeze.lifted',
    emits: ['policy.unfrozen'],
    summary: 'Lifts a freeze. Only a person can, with a fresh second factor.',
  }),
})
