import { area, get, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/ai-training'

export const training = area('training', {
  listDatasets: read(`${path}/datasets`, { access: 'training:read', summary: 'Lists the datasets, the newest first.' }),
  getDataset: get(`${path}/datasets/{dataset_id}`, {
    host: 'api',
    access: 'training:read',
    resource: 'dataset',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'files', access: 'read' }],
    evidence: { none: 'making the dataset was recorded' },
    emits: ['artifact.shared'],
    summary: 'One dataset; for callers who may read evidence with addresses to download its files.',
  }),
  createDataset: post(`${path}/datasets`, {
    host: 'api',
    access: 'training:write',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'files', access: 'put' }, { queue: 'training' }],
    evidence: 'training.dataset.changed',
    success: 201,
    bodyBytesMax: 5_242_880,
    timeoutSeconds: 28,
    summary: 'Creates a dataset of your own rows: in the request, or with an address to upload a file to.',
  }),
  generateDataset: post(`${path}/datasets/generate`, {
    host: 'api',
    access: 'training:write',
    rate: 'global',
    uses: [{ table: 'write' }, { queue: 'training' }],
    evidence: 'training.dataset.changed',
    success: 202,
    timeoutSeconds: 28,
    summary: 'Generates a dataset from executions and the decisions on them; or the next version of that name.',
  }),
  listFeedback: read(`${path}/feedback`, { access: 'training:read', summary: 'Lists feedback, the newest first.' }),
  submitFeedback: post(`${path}/feedback`, {
    host: 'api',
    access: 'training:feedback',
    rate: 'global',
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: 'training.feedback.submitted',
    success: 201,
    summary: 'Gives feedback on a target. Feedback given before on the same target is replaced.',
  }),
})
