import { area, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/compliance/tenants/{tenant_id}/evidence'

export const compliance = area('compliance', {
  submitEvidence: post(path, {
    host: 'api',
    access: 'compliance:write',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'files', access: 'put' }],
    evidence: ['compliance.evidence.announced', 'compliance.evidence.submitted'],
    success: 201,
    summary: 'Submits evidence for controls; one that is a file comes with an address to upload it to.',
  }),
  completeUpload: post(`${path}/{id}/complete`, {
    host: 'api',
    access: 'compliance:write',
    resource: 'submitted evidence',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'files', access: 'read' }, { bucket: 'files', access: 'remove' }],
    evidence: 'compliance.evidence.submitted',
    timeoutSeconds: 28,
    memoryMb: 1_769,
    summary: 'Accepts the uploaded file of submitted evidence if it is the one that was announced.',
  }),
  getEvidence: read(`${path}/{id}`, {
    access: 'compliance:read',
    resource: 'submitted evidence',
    summary: 'One piece of submitted evidence.',
  }),
})
