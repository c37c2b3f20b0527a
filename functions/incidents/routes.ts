import { area, patch, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/operations/incidents'
const reads = { access: 'ops:read', resource: 'incident' } as const
const writes = {
  host: 'api',
  access: 'ops:write',
  resource: 'incident',
  rate: 'global',
  uses: [{ table: 'write' }],
  timeoutSeconds: 28,
} as const

export const incidents = area('incidents', {
  list: read(path, { ...reads, summary: 'Lists incidents, the newest first.' }),
  create: post(path, {
    ...writes,
    success: 201,
    evidence: 'incident.created',
    emits: ['artifact.created', 'alert.resolved'],
    summary: 'Creates an incident. A linked runbook opens a task for each of its steps.',
  }),
  get: read(`${path}/{id}`, { ...reads, summary: 'One incident with its timeline.' }),
  update: patch(`${path}/{id}`, {
    ...writes,
    evidence: 'incident.updated',
    emits: ['alert.resolved'],
    summary: 'Moves or changes an incident. Each change enters its timeline; resolving it resolves its alerts.',
  }),
})
