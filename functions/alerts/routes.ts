import { area, del, patch, post, read } from '../../shared/base/wire/route.ts'

const rules = '/api/v1/tenants/{tenant_id}/alert-rules'
const alertsPath = '/api/v1/tenants/{tenant_id}/alerts'

const ofRule = { resource: 'alert rule' } as const
const ofAlert = { resource: 'alert' } as const
const writes = { host: 'api', access: 'ops:write', rate: 'global', uses: [{ table: 'write' }] } as const

export const alerts = area('alerts', {
  listRules: read(rules, { ...ofRule, access: 'ops:read', summary: 'Lists the alert rules, the built-in ones first.' }),
  createRule: post(rules, {
    ...writes,
    ...ofRule,
    success: 201,
    evidence: 'alert_rule.created',
    summary: 'Creates an alert rule.',
  }),
  updateRule: patch(`${rules}/{id}`, {
    ...writes,
    ...ofRule,
    evidence: 'alert_rule.updated',
    summary: 'Changes an alert rule, also a built-in one.',
  }),
  deleteRule: del(`${rules}/{id}`, {
    ...writes,
    ...ofRule,
    success: 204,
    evidence: 'alert_rule.deleted',
    summary: 'Deletes an alert rule and resolves its alerts. A built-in one can only be changed.',
  }),
  list: read(alertsPath, {
    ...ofAlert,
    access: 'ops:read',
    summary: 'Lists alerts: the open ones first, then those that were resolved.',
  }),
  get: read(`${alertsPath}/{id}`, { ...ofAlert, access: 'ops:read', summary: 'One alert with its history.' }),
  acknowledge: post(`${alertsPath}/{id}/acknowledge`, {
    ...writes,
    ...ofAlert,
    evidence: 'alert.acked',
    emits: ['alert.acked'],
    summary: 'Acknowledges an alert: no more mails until its snooze ends.',
  }),
  resolve: post(`${alertsPath}/{id}/resolve`, {
    ...writes,
    ...ofAlert,
    evidence: 'alert.resolved',
    emits: ['alert.resolved'],
    summary: 'Resolves an alert. A condition that still holds opens a new one.',
  }),
})
