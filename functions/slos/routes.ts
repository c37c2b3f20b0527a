import { area, del, patch, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/operations/slos'
const reads = { access: 'ops:read', resource: 'SLO' } as const
const writes = {
  host: 'api',
  access: 'ops:write',
  resource: 'SLO',
  rate: 'global',
  uses: [{ table: 'write' }],
} as const

export const slos = area('slos', {
  list: read(path, { ...reads, summary: 'Lists the objectives, the built-in ones first, with their present state.' }),
  create: post(path, {
    ...writes,
    success: 201,
    evidence: 'slo.created',
    summary: 'Creates an objective, from our own members or from an OpenSLO v1 document.',
  }),
  get: read(`${path}/{id}`, { ...reads, summary: 'One objective; `format=openslo` as an OpenSLO v1 document.' }),
  errorBudget: read(`${path}/{id}/error-budget`, {
    ...reads,
    summary: 'How much unreliability the objective still allows, and how fast it is used up.',
  }),
  update: patch(`${path}/{id}`, {
    ...writes,
    evidence: 'slo.updated',
    summary: 'Changes an objective. A changed target judges the whole window anew.',
  }),
  delete: del(`${path}/{id}`, {
    ...writes,
    success: 204,
    evidence: 'slo.deleted',
    summary: 'Deletes an objective and resolves its alerts. A built-in one can only be changed.',
  }),
})
