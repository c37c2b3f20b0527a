import { area, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/operations/runbooks'

export const runbooks = area('runbooks', {
  list: read(path, { access: 'ops:read', summary: 'Lists the newest version of each runbook.' }),
  create: post(path, {
    host: 'api',
    access: 'ops:write',
    rate: 'global',
    uses: [{ table: 'write' }],
    success: 201,
    evidence: 'runbook.created',
    summary: 'Creates a runbook, or the next version of the one of that name.',
  }),
})
